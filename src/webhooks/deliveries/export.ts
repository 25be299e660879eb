import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { type DeliveryFilter, matchDeliveries } from './filter'
import type { Delivery } from './schema'

/** A delivery without what is large. `url` is that of its webhook, also of a deleted one. */
export type ExportedDelivery = Pick<
  Delivery,
  | 'id'
  | 'webhook_id'
  | 'event_id'
  | 'event'
  | 'test'
  | 'status'
  | 'attempt_count'
  | 'http_status'
  | 'error'
> & { url: string | null; created_at: Date; delivered_at: Date | null }

/** The next `limit` deliveries that match, newest first; `before` is the id of the last one before them. */
export const exportDeliveries = async (
  sql: Sql,
  tenant: Tenant,
  filter: DeliveryFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<ExportedDelivery[]> => [
  ...(await sql<ExportedDelivery[]>`
    SELECT found.*, w.url FROM (
      SELECT id, webhook_id, event_id, event_type AS event, test, status, attempt_count, http_status, error,
        created_at, delivered_at
      FROM deliveries
      WHERE ${matchDeliveries(sql, tenant, filter, { before, most: limit })}
        ${before === null ? sql`` : sql`AND id < ${before}`}
      ORDER BY id DESC LIMIT ${limit}
    ) found LEFT JOIN webhooks w ON w.id = found.webhook_id
    ORDER BY found.id DESC`),
]
