import type { Tenant } from '../../caller'
import type { Db, Fragment } from '../../db/connect'
import { idBetween } from '../../db/created-between'
import { KIND } from '../queue/entry'
import type { DeliveryFilter } from './filter'

/** The newest `most` that match, of those with ids below `before`. */
export type Newest = { before: string | null; most: number }

/** Kinds of deliveries without a sequence number: those of one kind and webhook are in the queue by their ids. */
const BY_ID = `{${[KIND.workflow, KIND.first, KIND.redelivery, KIND.owned].join()}}`

/** After every id. */
const END = '~'

/**
 * SELECT of the ids of the newest deliveries that are not final, from the newest ones of each webhook: whatever waits,
 * few rows of the queue are read. `matching` is the condition on `deliveries` of filters that the queue does not have.
 */
export const newestQueued = (
  db: Db,
  { accountId, mode }: Tenant,
  filter: DeliveryFilter,
  matching: Fragment | undefined,
  { before, most }: Newest,
): Fragment => {
  const isMatch = db`
    ${idBetween(db, filter, 'dlv', 'q.delivery_id')}
    ${matching === undefined ? db`` : db`AND EXISTS (SELECT FROM deliveries WHERE id = q.delivery_id AND ${matching})`}`
  const end = before ?? END
  return db`
    WITH RECURSIVE queued AS (${queuedWebhooks(db, accountId, filter.webhook_id)})
    SELECT newest.delivery_id
    FROM queued JOIN webhooks w ON w.id = queued.webhook_id AND w.mode = ${mode}
    CROSS JOIN LATERAL (
      SELECT of_kind.delivery_id FROM unnest(${BY_ID}::smallint[]) AS k (kind) CROSS JOIN LATERAL (
        SELECT q.delivery_id FROM delivery_queue q
        WHERE q.account_id = ${accountId} AND q.webhook_id = queued.webhook_id AND q.kind = k.kind
          AND q.sequence = 0 AND q.delivery_id < ${end} ${isMatch}
        ORDER BY q.delivery_id DESC LIMIT ${most}
      ) of_kind
      UNION ALL
      (
        SELECT q.delivery_id FROM delivery_queue q
        -- A range, which only the index has in this order: with \`=\`, PostgreSQL can read and sort all of the webhook.
        WHERE (q.webhook_id, q.delivery_id) < (queued.webhook_id, ${end}) AND q.webhook_id >= queued.webhook_id
          AND q.sequence > 0 ${isMatch}
        ORDER BY q.webhook_id DESC, q.delivery_id DESC LIMIT ${most}
      )
    ) newest
    ORDER BY newest.delivery_id DESC LIMIT ${most}`
}

/** The webhooks of the account that have rows in the queue, by one look-up of each. */
const queuedWebhooks = (db: Db, accountId: string, webhookId: string | undefined): Fragment =>
  webhookId !== undefined
    ? db`SELECT ${webhookId}::text AS webhook_id`
    : db`
      (
        SELECT q.webhook_id FROM delivery_queue q WHERE q.account_id = ${accountId}
        ORDER BY q.webhook_id LIMIT 1
      )
      UNION ALL
      SELECT next.webhook_id FROM queued CROSS JOIN LATERAL (
        SELECT q.webhook_id FROM delivery_queue q
        WHERE q.account_id = ${accountId} AND q.webhook_id > queued.webhook_id
        ORDER BY q.webhook_id LIMIT 1
      ) next`
