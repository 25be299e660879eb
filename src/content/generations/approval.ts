import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { conflict } from '../../errors'
import type { TypeOf } from '../../http/schema'
import { toHeading } from './brief'
import type { Approval, GenerationDetail } from './schema'
import { planSteps } from './steps/store'
import { getGeneration } from './store'

/**
 * Lets a generation that is AWAITING_APPROVAL continue, with `outline` in place of its own (contract 6.27). The
 * dispatcher notifies its workflow.
 * @throws {DomainError} NOT_FOUND; CONFLICT when it does not wait for an approval, or its text would not be used.
 */
export const approveOutline = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
  { outline }: TypeOf<typeof Approval>,
): Promise<GenerationDetail> => {
  await getGeneration(tx, tenant, id)
  const headings = outline?.map(toHeading) ?? null
  const [approved] = await tx<
    { outline: string[]; article_id: string | null; article_version: number | null }[]
  >`
    UPDATE generations
    SET status = 'RUNNING', outline = coalesce(${headings}, outline),
      outline_approved_at = clock_timestamp(), due_at = clock_timestamp()
    WHERE id = ${id} AND status = 'AWAITING_APPROVAL'
    RETURNING outline, article_id, article_version`
  if (approved === undefined) {
    const { status } = await getGeneration(tx, tenant, id)
    throw conflict(
      `The generation is ${status}. Only the outline of one that is AWAITING_APPROVAL can be approved.`,
    )
  }
  // The rest would be written, and paid for, in vain.
  if (approved.article_id !== null && !(await hasVersion(tx, approved)))
    throw conflict(
      'The article was changed or deleted after this generation had begun to write it anew, so the new text would not be used. Nothing was approved. Cancel the generation, and start another.',
    )
  if (headings !== null) await planSteps(tx, id, approved.outline)
  return await getGeneration(tx, tenant, id)
}

const hasVersion = async (
  tx: Tx,
  { article_id, article_version }: { article_id: string | null; article_version: number | null },
): Promise<boolean> =>
  (await tx`SELECT FROM articles WHERE id = ${article_id} AND version = ${article_version}`)
    .length > 0
