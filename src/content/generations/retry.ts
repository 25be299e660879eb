import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { conflict } from '../../errors'
import { takeFromQuota } from '../../usage/store'
import { closeVersion } from '../articles/rewrite'
import type { Generation, GenerationDetail } from './schema'
import { resetUnfinishedSteps } from './steps/store'
import { getGeneration, lockKeyword } from './store'

/**
 * Queues a FAILED generation again, as a new run that goes on with the steps that are not finished, and takes it from
 * this month's quota (contract 6.28). An article that it writes anew is replaced as it is now.
 * @throws {DomainError} NOT_FOUND; CONFLICT when it is not FAILED, when a required check failed, or when its keyword or
 * the article that it writes anew was deleted; PLAN_LIMIT_REACHED.
 */
export const retryGeneration = async (
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<GenerationDetail> => {
  const { keyword_id, offline_draft } = await getGeneration(tx, caller, id)
  // The keyword before the generation, in the lock order of a deletion.
  const keyword = keyword_id === null ? undefined : await lockKeyword(tx, caller, keyword_id)
  if (keyword === undefined) throw conflict('The keyword of the generation was deleted.')
  const [queued] = await tx<{ keyword: string; article_id: string | null }[]>`
    UPDATE generations
    SET status = 'QUEUED', run = run + 1, error_code = NULL, error_message = NULL,
      started_at = NULL, finished_at = NULL, queued_at = now(), due_at = clock_timestamp()
    WHERE id = ${id} AND status = 'FAILED' AND error_code <> 'check_failed'
    RETURNING keyword, article_id`
  if (queued === undefined) throw conflict(whyNot(await getGeneration(tx, caller, id)))
  // The article after the generation, in the lock order of its completion.
  const version = queued.article_id === null ? null : await closeVersion(tx, queued.article_id)
  if (version === undefined)
    throw conflict('The article that the generation writes anew was deleted. Generate a new one.')
  await tx`UPDATE generations SET article_version = ${version} WHERE id = ${id}`
  await resetUnfinishedSteps(tx, id)
  await recordAudit(tx, auditContextOf(caller), 'generation.retried', id, { name: queued.keyword })
  if (!offline_draft) await takeFromQuota(tx, caller)
  return await getGeneration(tx, caller, id)
}

const whyNot = ({ status }: Generation): string =>
  status === 'FAILED'
    ? 'Its text is written, and a required check found something in it. A retry would find the same: generate again.'
    : `The generation is ${status}. Only one that is FAILED can be retried.`
