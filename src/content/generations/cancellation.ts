import type { Tenant } from '../../caller'
import type { Fragment, Tx } from '../../db/connect'
import { conflict } from '../../errors'
import { returnToQuota } from '../../usage/store'
import { type GenerationRow, isOpen } from './record'
import type { GenerationDetail } from './schema'
import { getGeneration } from './store'

/**
 * Cancels a generation (contract 6.6). Its workflow, where it still runs, finds it cancelled and stores nothing.
 * @throws {DomainError} NOT_FOUND; CONFLICT when it is final.
 */
export const cancelGeneration = async (
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<GenerationDetail> => {
  const { status } = await getGeneration(tx, tenant, id)
  const [cancelled] = await cancelGenerationsWhere(tx, tx`id = ${id}`)
  if (cancelled !== undefined) return getGeneration(tx, tenant, id)
  const isFinal = status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'
  throw conflict(
    `The generation is ${isFinal ? status : 'final since a moment ago'}. Only one that has not ended can be cancelled.`,
  )
}

type Owner = { project_id: string } | { keyword_id: string }

/** Newest generations among which a deletion cancels the open ones at once: 3 s for 100,000 would block other accounts. */
const NEWEST_MAX = 10_000

/**
 * Cancels the open generations among the newest 10,000 of a project or keyword. Call it after the row is marked as
 * deleted: `createGeneration` waits for that lock, so no later one is missed.
 */
export const cancelNewestGenerations = async (tx: Tx, of: Owner): Promise<void> => {
  await cancelGenerationsWhere(
    tx,
    tx`id IN (
      SELECT id FROM generations WHERE ${ownedBy(tx, of)} ORDER BY id DESC LIMIT ${NEWEST_MAX}
    )`,
  )
}

/** Cancels the open generations among the oldest `limit` of a project or keyword, before these are deleted or cleared. */
export const cancelOldestGenerations = async (tx: Tx, of: Owner, limit: number): Promise<void> => {
  await cancelGenerationsWhere(
    tx,
    tx`id IN (SELECT id FROM generations WHERE ${ownedBy(tx, of)} ORDER BY id LIMIT ${limit})`,
  )
}

const ownedBy = (tx: Tx, of: Owner): Fragment =>
  'project_id' in of ? tx`project_id = ${of.project_id}` : tx`keyword_id = ${of.keyword_id}`

type CancelledGeneration = Pick<
  GenerationRow,
  'account_id' | 'mode' | 'queued_at' | 'offline_draft'
>

/** Cancels the open generations that match `which`, all of one tenant, and returns each to the quota of its month. */
export const cancelGenerationsWhere = async (
  tx: Tx,
  which: Fragment,
): Promise<CancelledGeneration[]> => {
  // Locked in the order of ids, so that two deletions cannot deadlock.
  const open = await tx<{ id: string }[]>`
    SELECT id FROM generations WHERE ${which} AND ${isOpen(tx)}
    ORDER BY id FOR UPDATE`
  if (open.length === 0) return []
  const rows = await tx<[CancelledGeneration, ...CancelledGeneration[]]>`
    UPDATE generations
    SET status = 'CANCELLED', finished_at = clock_timestamp(), due_at = clock_timestamp(),
      check_at = NULL
    WHERE id = ANY (${open.map(({ id }) => id)})
    RETURNING account_id, mode, queued_at, offline_draft`
  const [{ account_id: accountId, mode }] = rows
  await returnToQuota(
    tx,
    { accountId, mode },
    rows.filter(row => !row.offline_draft).map(row => row.queued_at),
  )
  return rows
}
