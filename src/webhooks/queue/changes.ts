/**
 * SQL for everything that changes `delivery_queue`, beside claims. A row gets the number of the transaction whenever
 * claimers have to look at it: they read the queue as a log (read_queue.sql).
 */
import type { Db, Fragment, Tx } from '../../db/connect'
import { KIND } from './entry'

const ALL_KINDS = `{${Object.values(KIND).join()}}`

/**
 * SQL condition: row `q` of the queue is that of `row`, which has the columns id, account_id, webhook_id and sequence. Each
 * part needs `row`, so that it is looked up by its key: see record_attempts.sql.
 */
const isRowOf = (db: Db, row: Fragment) => db`
  q.account_id = ANY (ARRAY[${row}.account_id]) AND q.webhook_id = ${row}.webhook_id
  AND q.kind = ANY (CASE WHEN ${row}.id IS NOT NULL THEN ${ALL_KINDS}::smallint[] END)
  AND q.sequence = coalesce(${row}.sequence, 0) AND q.delivery_id = ${row}.id`

/** INSERT for deliveries in `from`, which has the columns id, account_id, webhook_id and sequence. */
export const enqueue = (db: Db, from: Fragment, { redelivered } = { redelivered: false }) => db`
  INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
  SELECT account_id, webhook_id,
    CASE WHEN sequence IS NULL THEN ${redelivered ? KIND.redelivery : KIND.first}::int ELSE ${KIND.inOrder}::int END,
    coalesce(sequence, 0), id
  FROM ${from}`

/** Common table expressions for deliveries in `final` that have become so: they leave, and the next of an order is due. */
export const leaveQueue = (db: Db, final: Fragment) => db`
  left_queue AS (DELETE FROM delivery_queue q USING ${final} WHERE ${isRowOf(db, final)}),
  announced AS (
    UPDATE delivery_queue q SET xid = pg_current_xact_id()
    FROM ${final} CROSS JOIN LATERAL (
      SELECT n.ctid AS place FROM delivery_queue n
      WHERE n.account_id = ${final}.account_id AND n.webhook_id = ${final}.webhook_id
        AND n.kind = ${KIND.inOrder} AND n.sequence > ${final}.sequence
      ORDER BY n.sequence LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) next
    WHERE q.ctid = next.place
  )`

/** Makes the delivery's next attempt due again as a new run. A final one, or another run, does not change. */
export const startRunAgain = async (
  db: Db,
  { id, run }: { id: string; run: number },
): Promise<void> => {
  await db`
    WITH restarted AS (
      UPDATE deliveries SET run = run + 1 WHERE id = ${id} AND run = ${run} AND status = 'RETRYING'
      RETURNING id, account_id, webhook_id, sequence
    )
    UPDATE delivery_queue q SET claimer = NULL, check_at = NULL, due_at = clock_timestamp(),
      kind = CASE WHEN q.sequence = 0 THEN ${KIND.first}::int ELSE ${KIND.inOrder}::int END,
      xid = pg_current_xact_id()
    FROM restarted WHERE ${isRowOf(db, db`restarted`)}`
}

/**
 * Announces a webhook whose deliveries could not be claimed and now can: claimers look at its first row of each kind,
 * and go on from there.
 */
export const announceWebhook = async (
  tx: Tx,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<void> => {
  await tx`
    UPDATE delivery_queue q SET xid = pg_current_xact_id()
    FROM unnest(${`{${KIND.inOrder},${KIND.first},${KIND.redelivery}}`}::smallint[]) AS k (kind)
    CROSS JOIN LATERAL (
      SELECT f.ctid AS place FROM delivery_queue f
      WHERE f.account_id = ${accountId} AND f.webhook_id = ${webhookId} AND f.kind = k.kind AND f.claimer IS NULL
      ORDER BY f.sequence, f.delivery_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) f
    WHERE q.ctid = f.place`
}

/** SQL condition on `deliveries`, without an alias: its row of the queue is of this kind. */
export const isQueuedAs = (db: Db, kind: number) => db`
  EXISTS (
    SELECT FROM delivery_queue q
    WHERE q.account_id = deliveries.account_id AND q.webhook_id = deliveries.webhook_id AND q.kind = ${kind}
      AND q.sequence = coalesce(deliveries.sequence, 0) AND q.delivery_id = deliveries.id
  )`
