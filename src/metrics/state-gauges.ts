/**
 * Gauges of the whole deployment, read from the database. Every worker exposes the same values: aggregate
 * with max, not with sum.
 */
import { Gauge, type Registry } from 'prom-client'
import { type Fragment, type Sql, type Tx, withTimeout } from '../db/connect'
import { isWorkerAlive } from '../temporal/heartbeat'
import { type ContentState, readContentState } from './content-state'

/** Scrapes within this time share one query, in ms. */
const CACHE_MS = 5_000
/**
 * Timeout of the query, in ms, in PostgreSQL too: a scrape must not add load to an overloaded database.
 */
const QUERY_TIMEOUT_MS = 2_000
/** Maximum count of due rows; an index scan of that many takes 0.1 to 0.2 s. */
const COUNT_MAX = 100_000

type State = ContentState & {
  deliveries_due: number
  deliveries_age: number
  generations_due: number
  generations_age: number
  workers: number
  paused: number
  slow_webhooks: number
  emails_retrying: number
}

/**
 * Adds gauges to `registry` that are read at each scrape. They are missing while the database is unavailable.
 */
export const registerStateGauges = (registry: Registry, sql: Sql): void => {
  const read = cacheRead(() => withTimeout(readState(sql), QUERY_TIMEOUT_MS).catch(() => undefined))
  const gauge = (name: string, help: string, show: (gauge: Gauge, state: State) => void) =>
    new Gauge({
      name,
      help,
      labelNames: name.startsWith('arden_outbox_') ? ['table'] : [],
      registers: [registry],
      async collect() {
        const state = await read()
        this.reset()
        if (state === undefined) this.remove({})
        else show(this, state)
      },
    })
  gauge(
    'arden_outbox_due',
    `Due records that wait to be passed to Temporal, paused ones included; ${COUNT_MAX} means at least that many.`,
    (due, state) => {
      due.set({ table: 'deliveries' }, state.deliveries_due)
      due.set({ table: 'generations' }, state.generations_due)
    },
  )
  gauge(
    'arden_outbox_oldest_due_age_seconds',
    'Age of the oldest due record, without those of paused or slow webhooks.',
    (age, state) => {
      age.set({ table: 'deliveries' }, state.deliveries_age)
      age.set({ table: 'generations' }, state.generations_age)
    },
  )
  gauge(
    'arden_generations_waiting',
    'Generations that Temporal has and no worker has begun.',
    (waiting, state) => waiting.set(state.generations_waiting),
  )
  gauge(
    'arden_generations_oldest_waiting_age_seconds',
    'Age of the oldest of them.',
    (age, state) => age.set(state.generations_waiting_age),
  )
  gauge(
    'arden_rank_run_seconds',
    'Time since the start of the rank tracking that runs now; 0 without one.',
    (seconds, state) => seconds.set(state.rank_run_seconds),
  )
  gauge(
    'arden_rank_run_unranked',
    'Keywords that the latest rank tracking left without a new ranking, because it ended early or took longer than a day.',
    (unranked, state) => unranked.set(state.rank_run_unranked),
  )
  gauge(
    'arden_rank_run_ranked',
    'Keywords that got a ranking from the latest rank tracking that ended.',
    (ranked, state) => ranked.set(state.rank_run_ranked),
  )
  gauge(
    'arden_rank_run_failed',
    'Keywords for which the SERP provider returned no usable result to it.',
    (failed, state) => failed.set(state.rank_run_failed),
  )
  gauge('arden_workers', 'Workers that sent a heartbeat recently.', (all, state) =>
    all.set(state.workers),
  )
  gauge('arden_paused', '1 while all deliveries are paused.', (paused, state) =>
    paused.set(state.paused),
  )
  gauge('arden_slow_webhooks', 'Slow webhooks, which get one delivery at a time.', (slow, state) =>
    slow.set(state.slow_webhooks),
  )
  gauge(
    'arden_emails_retrying',
    'Emails that wait for another try, because the mail server did not accept them.',
    (retrying, state) => retrying.set(state.emails_retrying),
  )
}

/**
 * Uses indexes only: `deliveries_due` gives the count, and the oldest row of each webhook with one probe per
 * webhook.
 */
const readState = (sql: Sql): Promise<State> =>
  sql.begin('read only', async transaction => {
    const tx = transaction as Tx
    await tx`SELECT set_config('statement_timeout', ${String(QUERY_TIMEOUT_MS)}, true),
      set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('jit', 'off', true)`
    const [state] = await tx<[Omit<State, keyof ContentState>]>`
      WITH due AS MATERIALIZED (
        -- What waits for a claim: a first attempt (2), a redelivery (3), or a workflow after a failed attempt (0).
        -- Deliveries that wait in an order (1) are not due. Those that wait longest come first.
        SELECT webhook_id, due_at FROM delivery_queue
        WHERE kind IN (0, 2, 3) AND claimer IS NULL ORDER BY xid LIMIT ${COUNT_MAX}
      ), oldest AS (
        SELECT webhook_id, min(due_at) AS due_at FROM due GROUP BY webhook_id
      )
      SELECT
        (SELECT count(*) FROM due)::int AS deliveries_due,
        (SELECT ${age(tx, tx`o.due_at`)} FROM oldest o JOIN webhook_states w ON w.id = o.webhook_id
          WHERE NOT w.paused
            AND NOT EXISTS (SELECT FROM slow_webhooks s WHERE s.webhook_id = w.id)) AS deliveries_age,
        (SELECT count(*) FROM (SELECT FROM generations
          WHERE due_at <= clock_timestamp() LIMIT ${COUNT_MAX}) due)::int AS generations_due,
        (SELECT ${age(tx, tx`due_at`)} FROM generations WHERE due_at IS NOT NULL) AS generations_age,
        (SELECT count(*) FROM workers WHERE ${isWorkerAlive(tx)})::int AS workers,
        (SELECT count(*) FROM deployment WHERE paused_at IS NOT NULL)::int AS paused,
        (SELECT count(*) FROM slow_webhooks)::int AS slow_webhooks,
        (SELECT count(*) FROM (SELECT FROM mails WHERE error IS NOT NULL LIMIT ${COUNT_MAX}) failed)::int
          AS emails_retrying`
    return { ...state, ...(await readContentState(tx, COUNT_MAX)) }
  })

/** SQL for the seconds since the earliest `at`; 0 if there is none, or it is in the future. */
const age = (tx: Tx, at: Fragment) =>
  tx`coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(${at}))), 0)::float8`

/** Calls `read` at most once per `CACHE_MS`, and never concurrently. */
const cacheRead = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let last: Promise<T> | undefined
  let until = 0
  return () => {
    if (last === undefined || performance.now() > until) {
      until = performance.now() + CACHE_MS
      last = read()
    }
    return last
  }
}
