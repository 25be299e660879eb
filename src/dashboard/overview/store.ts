import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { lowestIdAt } from '../../ids'
import type { Delivery } from '../../webhooks/deliveries/schema'

/** The time spans of the overview and the steps of their charts. */
export const SPANS = {
  '24h': { unit: 'hour', steps: 24 },
  '30d': { unit: 'day', steps: 30 },
} as const
export type Span = keyof typeof SPANS

/** A value for each of `times`. */
export type Overview = {
  /** When each step begins, in ms since 1970; the current one is last. */
  times: number[]
  /** By status, in the step they were created in. */
  deliveries: { delivered: number[]; failed: number[]; retrying: number[] }
  /** Requests with API keys; `refused` got 429. */
  requests: { accepted: number[]; refused: number[] }
}

/** An id is made some ms before the `created_at` of its record. */
const ID_MARGIN_MS = 1_000

/**
 * Counts the tenant's deliveries and requests in each hour of the last day or each day of the last 30. Days
 * are those of `zone`, an IANA time zone. Requests of the last seconds may be missing.
 */
export const getOverview = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  span: Span,
  zone: string,
): Promise<Overview> => {
  const times = await stepsOf(sql, span, zone)
  const { unit } = SPANS[span]
  const since = new Date(times[0] ?? 0)
  const deliveries = await sql<{ at: Date; status: Delivery['status']; count: number }[]>`
    SELECT ${stepOf(sql, 'created_at', unit, zone)} AS at, status, count(*)
    FROM deliveries
    WHERE account_id = ${accountId} AND mode = ${mode} AND created_at >= ${since}
      AND id >= ${lowestIdAt('dlv', new Date(since.getTime() - ID_MARGIN_MS))}
    GROUP BY 1, 2`
  const requests = await sql<{ at: Date; accepted: number; refused: number }[]>`
    SELECT ${stepOf(sql, 'hour', unit, zone)} AS at,
      sum(accepted)::bigint AS accepted, sum(refused)::bigint AS refused
    FROM request_hours
    WHERE account_id = ${accountId} AND mode = ${mode} AND hour >= ${since}
    GROUP BY 1`
  const series = <T extends { at: Date }>(rows: readonly T[], value: (row: T) => number) => {
    const known = new Map(rows.map(row => [row.at.getTime(), value(row)]))
    return times.map(time => known.get(time) ?? 0)
  }
  const withStatus = (status: Delivery['status']) =>
    series(
      deliveries.filter(row => row.status === status),
      ({ count }) => count,
    )
  return {
    times,
    deliveries: {
      delivered: withStatus('DELIVERED'),
      failed: withStatus('FAILED'),
      retrying: withStatus('RETRYING'),
    },
    requests: {
      accepted: series(requests, ({ accepted }) => accepted),
      refused: series(requests, ({ refused }) => refused),
    },
  }
}

/** When the steps of a span begin. Hours are those of UTC, where no hour is repeated. */
const stepsOf = async (sql: Sql, span: Span, zone: string): Promise<number[]> => {
  const { unit, steps } = SPANS[span]
  const rows = await sql<{ at: Date }[]>`
    SELECT step AT TIME ZONE ${zoneOf(unit, zone)} AS at
    FROM (
      SELECT date_trunc(${unit}::text, clock_timestamp() AT TIME ZONE ${zoneOf(unit, zone)}) AS last
    ) AS now,
      generate_series(
        last - (${steps - 1} * ${`1 ${unit}`}::text::interval), last, ${`1 ${unit}`}::text::interval
      ) AS step`
  return rows.map(({ at }) => at.getTime())
}

/** SQL for the beginning of the step that contains a time. */
const stepOf = (sql: Sql, column: string, unit: Unit, zone: string) =>
  sql`date_trunc(${unit}::text, ${sql(column)}, ${zoneOf(unit, zone)}::text)`

type Unit = (typeof SPANS)[Span]['unit']

const zoneOf = (unit: Unit, zone: string) => (unit === 'hour' ? 'UTC' : zone)
