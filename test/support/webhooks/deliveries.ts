import type { Mode } from '../../../src/caller'
import { lowestIdAt, newId } from '../../../src/ids'
import type { Delivery } from '../../../src/webhooks/deliveries/schema'
import type { EventType } from '../../../src/webhooks/events/types'
import { MAX_ATTEMPTS } from '../../../src/webhooks/retry-schedule'
import type { Arden } from '../arden'

type NewDeliveries = {
  status: Delivery['status']
  at: Date
  count: number
  mode?: Mode
  webhookId?: string
  event?: EventType
  error?: string | null
}

/** Final deliveries, written to the database directly; none is sent. */
export const addDeliveries = async (
  { sql, accountId }: Pick<Arden, 'sql' | 'accountId'>,
  {
    status,
    at,
    count,
    mode = 'live',
    webhookId = newId('wh'),
    event,
    error = status === 'FAILED' ? 'the endpoint responded with 500' : null,
  }: NewDeliveries,
): Promise<void> => {
  // The leading characters of an id are its time.
  const time = lowestIdAt('dlv', at).slice(0, 'dlv_'.length + 10)
  await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_count,
      attempt_limit, error, created_at)
    SELECT ${time} || substr(md5(${newId('evt')} || n), 1, 16), ${accountId}, ${mode}, ${webhookId},
      ${newId('evt')}, ${event ?? 'article.published'}, ${status}, ${status === 'DELIVERED' ? 1 : MAX_ATTEMPTS}::int,
      ${MAX_ATTEMPTS}::int,      ${error}, ${at}
    FROM generate_series(1, ${count}) AS n`
}
