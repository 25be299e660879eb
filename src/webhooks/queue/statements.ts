/** The statements of a claimer. Lists travel as text with commas: the driver is slow with arrays. */
import type { Fragment, Sql } from '../../db/connect'
import type { Entry, Position } from './entry'
import type { Outcome, QueuedWebhook, Reading } from './webhook'

/** What a claimer works on: first attempts, or workflows for deliveries whose first attempt failed. */
export type Work = 'attempts' | 'workflows'

/**
 * How long a lease lasts without being renewed, in seconds. Its rows are released two seconds later (claimer.ts): the
 * longest pause of a busy worker was 2 s (docs/decisions/deliveries.md).
 */
const LEASE_S = 4

/** Renews the lease of a claimer. Returns the ids of those whose lease has ended. */
export const renewLease = async (sql: Sql, claimer: string, work: Work): Promise<string[]> => {
  const ended = await sql<{ id: string }[]>`
    WITH renewed AS (
      INSERT INTO claimers (id, work, until)
      VALUES (${claimer}, ${work}, clock_timestamp() + make_interval(secs => ${LEASE_S}))
      ON CONFLICT (id) DO UPDATE SET until = excluded.until
    )
    SELECT id FROM claimers WHERE until < clock_timestamp() AND id <> ${claimer}`
  return ended.map(({ id }) => id)
}

/**
 * Makes the rows of a claimer claimable again; those of `kept` go to `heir`. Returns whether all are: not while a claim
 * of it is in progress, or a row is locked.
 */
export const releaseClaimer = async (
  sql: Sql,
  claimer: string,
  heir: string | null = null,
  kept: string[] = [],
): Promise<boolean> => {
  await sql`SELECT release_claimer(${claimer}, ${heir}, string_to_array(${kept.join()}, ','))`
  return (await sql`SELECT FROM claimers WHERE id = ${claimer}`).length === 0
}

type LogPage = {
  snapshot: string
  /** The entries are the first positions of webhooks, after which there can be more. */
  isSummary: boolean
  entries: Entry[]
  /** Whether all deliveries are paused. */
  isPaused: boolean
  slow: Set<string>
  /** Ids of the claimers that have a lease for this work. */
  claimers: string[]
}

/** Reads what the queue has gained since `since`, a snapshot; only the snapshot where that is undefined. */
export const readQueue = async (
  sql: Sql,
  {
    since,
    kinds,
    most,
    work,
  }: { since: string | undefined; kinds: number[]; most: number; work: Work },
): Promise<LogPage> => {
  const [page] = await sql<
    [
      {
        snapshot: string
        is_summary: boolean
        rows: string | null
        paused: boolean
        slow: string | null
        claimers: string | null
      },
    ]
  >`
    SELECT q.snapshot::text, q.is_summary, q.rows,
      (SELECT paused_at IS NOT NULL FROM deployment) AS paused,
      (SELECT string_agg(webhook_id, ',') FROM slow_webhooks) AS slow,
      (SELECT string_agg(id::text, ',') FROM claimers
        WHERE work = ${work} AND until > clock_timestamp()) AS claimers
    FROM ${
      since === undefined
        ? sql`(SELECT pg_current_snapshot() AS snapshot, false AS is_summary, NULL AS rows)`
        : sql`read_queue(${since}::text::pg_snapshot, string_to_array(${kinds.join()}, ',')::smallint[], ${most}::int)`
    } q`
  return {
    snapshot: page.snapshot,
    isSummary: page.is_summary,
    entries: rowsOf(page.rows).map(entryOf),
    isPaused: page.paused,
    slow: new Set(listOf(page.slow)),
    claimers: listOf(page.claimers),
  }
}

/** Ids in the queue of claimers that do not exist: a crash of PostgreSQL, or of a standby, can leave them. */
export const readOrphanedClaimers = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ claimer: string }[]>`
    SELECT DISTINCT claimer FROM delivery_queue
    WHERE claimer IS NOT NULL AND claimer NOT IN (SELECT id FROM claimers)`
  return rows.map(({ claimer }) => claimer)
}

/** The next webhooks after this one, in the order of the queue; none at the end. */
export const readQueuedWebhooks = async (
  sql: Sql,
  { accountId, webhookId, kind }: Pick<QueuedWebhook, 'accountId' | 'webhookId' | 'kind'>,
  most: number,
): Promise<QueuedWebhook[]> => {
  const [{ rows }] = await sql<[{ rows: string | null }]>`
    SELECT queued_webhooks(${accountId}, ${webhookId}, ${kind}::smallint, ${most}::int) AS rows`
  return rowsOf(rows).map(row => ({ ...entryOf(row), isPaused: row[5] !== undefined }))
}

/** Up to `most` positions for each reading, in order. */
export const readQueuedDeliveries = async (
  sql: Sql,
  readings: Reading[],
  most: number,
): Promise<Position[][]> => {
  const [{ rows }] = await sql<[{ rows: string | null }]>`
    SELECT queued_deliveries(${keysOf(
      sql,
      readings.map(({ from, ...one }) => ({ ...one, ...from })),
    )}, ${most}::int) AS rows`
  const read: Position[][] = readings.map(() => [])
  for (const [n, sequence, id = ''] of rowsOf(rows))
    read[Number(n) - 1]?.push({ sequence: Number(sequence), id })
  return read
}

/** Claims entries: an outcome for each. `undefined`: nothing was claimed, because the lease has ended or all is paused. */
export const claimDeliveries = async (
  sql: Sql,
  claimer: string,
  entries: (Entry & { floor: number })[],
): Promise<Outcome[] | undefined> => {
  const floors = entries.map(({ floor }) => floor).join()
  const [{ outcomes }] = await sql<[{ outcomes: string | null }]>`
    SELECT claim_deliveries(${claimer}, ${keysOf(sql, entries)}, string_to_array(${floors}, ',')::bigint[]) AS outcomes`
  return outcomes?.split('').map(letter => OUTCOMES[letter] ?? 'gone')
}

const OUTCOMES: Record<string, Outcome> = {
  c: 'claimed',
  u: 'unordered',
  p: 'paused',
  b: 'blocked',
  g: 'gone',
}

/**
 * Changes rows that one of the claimers has, by SQL assignments on `q`. Others do not change. Like every
 * statement that waits for several of them, it locks their deliveries first, in the order of their ids.
 */
export const updateClaimed = async (
  sql: Sql,
  claimers: string[],
  entries: Entry[],
  assignments: Fragment,
): Promise<void> => {
  await sql`
    WITH entry AS MATERIALIZED (
      SELECT * FROM unnest(${keysOf(sql, entries)}) AS e (account_id, webhook_id, kind, sequence, id)
    ),
    locked AS MATERIALIZED (
      SELECT d.id, d.next_attempt_at FROM deliveries d WHERE d.id IN (SELECT e.id FROM entry e)
      ORDER BY d.id FOR NO KEY UPDATE
    )
    UPDATE delivery_queue q SET claimer = NULL, ${assignments}
    FROM entry e JOIN locked d USING (id)
    WHERE q.account_id = ANY (ARRAY[e.account_id]) AND q.webhook_id = e.webhook_id AND q.kind = e.kind
      AND q.sequence = e.sequence AND q.delivery_id = e.id
      AND q.claimer = ANY (string_to_array(${claimers.join()}, ',')::uuid[])`
}

/** Makes claimed rows claimable again at once. */
export const releaseEntries = (sql: Sql, claimers: string[], entries: Entry[]): Promise<void> =>
  updateClaimed(sql, claimers, entries, sql`xid = pg_current_xact_id()`)

const keysOf = (
  sql: Sql,
  keys: { accountId: string; webhookId: string; kind: number; sequence: number; id: string }[],
) => {
  const list = (values: (string | number)[]) => sql`string_to_array(${values.join()}, ',')`
  return sql`
    ${list(keys.map(key => key.accountId))}, ${list(keys.map(key => key.webhookId))},
    ${list(keys.map(key => key.kind))}::smallint[], ${list(keys.map(key => key.sequence))}::bigint[],
    ${list(keys.map(key => key.id))}`
}

const entryOf = ([accountId = '', webhookId = '', kind, sequence, id = '']: string[]): Entry => ({
  accountId,
  webhookId,
  kind: Number(kind),
  sequence: Number(sequence),
  id,
})

const listOf = (text: string | null): string[] => (text === null ? [] : text.split(','))
const rowsOf = (text: string | null): string[][] =>
  text === null ? [] : text.split(';').map(row => row.split(','))
