import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller, Tenant } from '../../caller'
import type { Db, Fragment, Sql, Tx } from '../../db/connect'
import { DomainError, Unconfirmed } from '../../errors'
import { isTemporary, type Transact } from '../../http/change'
import { type DeliveryFilter, matchDeliveries } from './filter'
import { checkReceiving, startNewRuns } from './redelivery'

/**
 * Starts a new run of every FAILED delivery of a webhook, or of those created after `createdAfter`, in batches, and
 * returns how many (contract 5.14).
 * @throws {DomainError} NOT_FOUND; CONFLICT while the webhook is disabled; UNAVAILABLE as `redeliverInBatches`.
 */
export const redeliverFailed = async (
  transact: Transact,
  caller: Caller,
  webhookId: string,
  createdAfter: string | undefined,
): Promise<{ count: number }> => {
  const filter: DeliveryFilter = {
    webhook_id: webhookId,
    status: 'FAILED',
    ...(createdAfter !== undefined && { created_after: createdAfter }),
  }
  const { count } = await redeliverInBatches(transact, async (tx, after) => {
    await checkReceiving(tx, caller, webhookId)
    return startBatch(tx, caller, filter, after)
  })
  return { count }
}

/** Deliveries by their ids, or those that match a filter. */
export type RedeliverySelection = { ids: string[] } | DeliveryFilter

/** `left_out`: selected deliveries that are not final, or whose webhook is disabled or deleted. */
export type RedeliveryCounts = { count: number; left_out: number }

/**
 * Starts a new run of every selected delivery that is final and has an enabled webhook, over all webhooks, in batches.
 * @throws {DomainError} UNAVAILABLE as `redeliverInBatches`.
 */
export const redeliverSelected = (
  transact: Transact,
  caller: Caller,
  selection: RedeliverySelection,
): Promise<RedeliveryCounts> =>
  redeliverInBatches(transact, (tx, after) => startBatch(tx, caller, selection, after))

/** The newest deliveries that a preview counts. */
const PREVIEW_MAX = 10_000

/** `at_least`: there are more than the preview counted. */
export type RedeliveryPreview = RedeliveryCounts & { at_least: boolean }

/** The result that `redeliverSelected` would have now, counted over the newest 10,000 deliveries. */
export const previewRedelivery = async (
  sql: Sql,
  tenant: Tenant,
  selection: RedeliverySelection,
): Promise<RedeliveryPreview> => {
  const [found] = await sql<[{ all: number; count: number }]>`
    SELECT count(*) AS all, count(*) FILTER (WHERE ${canBeRedelivered(sql, tenant)}) AS count FROM (
      SELECT status, webhook_id FROM deliveries WHERE ${matchSelection(sql, tenant, selection)}
      ORDER BY id DESC LIMIT ${PREVIEW_MAX}
    ) AS newest`
  return {
    count: found.count,
    left_out: found.all - found.count,
    at_least: found.all === PREVIEW_MAX,
  }
}

/**
 * Deliveries that a batch looks at, whether they match or not. 100,000 in one transaction took 2.4 to 9.6 s, and as long
 * no event stream of any account could send an event.
 */
const BATCH = 2_000

/** How long batches run before the response, in ms: connections and proxies time out after 60 s without data. */
const RUN_MAX_MS = 30_000

/** `last` is the last delivery that the batch has looked at; null when there was none after it. */
type Batch = RedeliveryCounts & { last: string | null }

/**
 * Runs batches until one has no delivery after it. Each looks at those after the last one, so that none is sent twice.
 * @throws {DomainError} UNAVAILABLE, with the number of those that were redelivered, when a batch cannot be committed or
 * time is up, or as `Unconfirmed` when it may be committed.
 */
const redeliverInBatches = async (
  transact: Transact,
  runBatch: (tx: Tx, after: string) => Promise<Batch>,
): Promise<RedeliveryCounts> => {
  const total = { count: 0, left_out: 0 }
  const startedAt = performance.now()
  for (let after = ''; ; ) {
    const { count, left_out, last } = await transact(tx => runBatch(tx, after)).catch(error => {
      if (error instanceof Unconfirmed) throw unconfirmed(total.count, error)
      throw total.count > 0 && isTemporary(error)
        ? incomplete(total.count, 'PostgreSQL was unavailable or too busy')
        : error
    })
    total.count += count
    total.left_out += left_out
    if (last === null) return total
    if (performance.now() - startedAt > RUN_MAX_MS)
      throw incomplete(total.count, `they took longer than ${RUN_MAX_MS / 1000} s`)
    after = last
  }
}

const incomplete = (count: number, reason: string) =>
  new DomainError(
    'UNAVAILABLE',
    `${redelivered(count)}, the others are not: ${reason}. Repeat the request for the others.`,
  )

/** No `Idempotency-Key` protects a batch, which is committed before the response of the request. */
const unconfirmed = (count: number, cause: Unconfirmed) =>
  new Unconfirmed(
    `${redelivered(count)}, and up to ${BATCH} more may be: PostgreSQL has not confirmed them. Look at the deliveries before you repeat the request for the others: one that is sent again twice arrives twice.`,
    { cause },
  )

const redelivered = (count: number): string =>
  `${count === 1 ? '1 delivery is' : `${count} deliveries are`} redelivered`

/** The webhook of a redelivery, else the account. */
const subjectOf = ({ accountId }: Caller, selection: RedeliverySelection): string =>
  ('webhook_id' in selection ? selection.webhook_id : undefined) ?? accountId

/** Writes an audit entry of its own: it is committed alone. */
const startBatch = async (
  tx: Tx,
  caller: Caller,
  selection: RedeliverySelection,
  after: string,
): Promise<Batch> => {
  const [{ ids, left_out, last }] = await tx<
    [{ ids: string[] | null; left_out: number; last: string | null }]
  >`
    SELECT array_agg(id) FILTER (WHERE is_selected AND is_possible) AS ids,
      count(*) FILTER (WHERE is_selected AND NOT is_possible) AS left_out,
      CASE WHEN count(*) = ${BATCH} THEN max(id) END AS last
    FROM (
      SELECT id, ${matchSelection(tx, caller, selection)} AS is_selected,
        ${canBeRedelivered(tx, caller)} AS is_possible
      FROM (
        SELECT * FROM deliveries
        WHERE ${matchSelection(tx, caller, indexedPart(selection))} AND id > ${after}
        ORDER BY id LIMIT ${BATCH}
      ) AS deliveries
    ) AS batch`
  const status = 'status' in selection ? selection.status : undefined
  const count =
    ids === null
      ? 0
      : await startNewRuns(
          tx,
          // Again, because a concurrent call may have redelivered it since.
          tx`id = ANY (${ids}) AND ${status === undefined ? tx`status <> 'RETRYING'` : tx`status = ${status}`}`,
        )
  if (count > 0)
    await recordAudit(
      tx,
      auditContextOf(caller),
      'deliveries.redelivered',
      subjectOf(caller, selection),
      {
        ...('ids' in selection ? {} : selection),
        count,
      },
    )
  return { count, left_out, last }
}

/** The part of a selection whose deliveries an index finds in the order of their ids. */
const indexedPart = (selection: RedeliverySelection): RedeliverySelection => {
  if ('ids' in selection) return selection
  const { event: _, error: __, ...indexed } = selection
  return indexed
}

const matchSelection = (db: Db, tenant: Tenant, selection: RedeliverySelection): Fragment =>
  'ids' in selection
    ? db`${matchDeliveries(db, tenant, {})} AND id = ANY (${selection.ids})`
    : matchDeliveries(db, tenant, selection)

/** SQL condition on `deliveries`: final, with an enabled webhook. */
const canBeRedelivered = (db: Db, tenant: Tenant): Fragment => db`
  status <> 'RETRYING' AND webhook_id IN (
    SELECT w.id FROM webhooks w
    WHERE w.account_id = ${tenant.accountId} AND w.mode = ${tenant.mode}
      AND w.enabled AND w.deleted_at IS NULL
  )`
