import type { Caller } from '../../caller'
import type { Read } from '../../http/read'
import { type ExportedDelivery, exportDeliveries } from '../../webhooks/deliveries/export'
import type { DeliveryFilter } from '../../webhooks/deliveries/filter'
import type { Cells } from '../csv/download'

/** Deliveries of a file, the newest; 100,000 are 25 MB (contract 5.10). */
const DELIVERIES_MAX = 100_000
/** Deliveries that are read at a time. */
const BATCH = 1_000

export const DELIVERIES_HEAD: Cells = [
  'created_at',
  'id',
  'event',
  'status',
  'attempts',
  'http_status',
  'error',
  'delivered_at',
  'webhook_id',
  'url',
  'event_id',
  'test',
]

/** Returns a function that reads the lines of the next deliveries that match; undefined after the last. */
export const readDeliveryLines = (
  read: Read,
  caller: Caller,
  filter: DeliveryFilter,
): (() => Promise<Cells[] | undefined>) => {
  let before: string | null = null
  let left = DELIVERIES_MAX
  return async () => {
    if (left === 0) return undefined
    const page = { before, limit: Math.min(BATCH, left) }
    const found = await read(caller, sql => exportDeliveries(sql, caller, filter, page))
    before = found.at(-1)?.id ?? null
    left = found.length < page.limit ? 0 : left - found.length
    return found.map(toCells)
  }
}

const toCells = (delivery: ExportedDelivery): Cells => [
  delivery.created_at.toISOString(),
  delivery.id,
  delivery.event,
  delivery.status,
  String(delivery.attempt_count),
  delivery.http_status === null ? null : String(delivery.http_status),
  delivery.error,
  delivery.delivered_at?.toISOString() ?? null,
  delivery.webhook_id,
  delivery.url,
  delivery.event_id,
  String(delivery.test),
]
