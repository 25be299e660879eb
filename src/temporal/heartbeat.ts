import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Fragment, Sql } from '../db/connect'

/** Interval of worker heartbeats in PostgreSQL, in ms. */
const INTERVAL_MS = 5_000
/** A worker without a heartbeat for this long counts as stopped, in seconds. */
export const WORKER_ALIVE_S = 15

/** SQL on a row of `workers`: it is alive. */
export const isWorkerAlive = (db: Db): Fragment =>
  db`seen_at > clock_timestamp() - make_interval(secs => ${WORKER_ALIVE_S})`

/** What the settings of a worker name: a language model for live or test mode, a SERP provider. */
export type Provider = 'live' | 'test' | 'serp'

/**
 * What the settings of the running workers name; only workers have these settings. Undefined while no worker runs that
 * says so.
 */
export const readProviders = async (db: Db): Promise<Provider[] | undefined> => {
  const rows = await db<{ providers: Provider[] }[]>`
    SELECT providers FROM workers WHERE ${isWorkerAlive(db)} AND providers IS NOT NULL`
  return rows.length === 0 ? undefined : [...new Set(rows.flatMap(row => row.providers))]
}

/** The running workers whose settings name no such provider, while those of others do. */
export const workersWithout = async (db: Db, provider: Provider): Promise<string[]> => {
  const rows = await db<{ id: string; has: boolean }[]>`
    SELECT id, providers @> ${[provider]} AS has FROM workers
    WHERE ${isWorkerAlive(db)} AND providers IS NOT NULL ORDER BY id`
  return rows.some(({ has }) => has) ? rows.filter(({ has }) => !has).map(({ id }) => id) : []
}

/** A provider of ARDEN_LLM_PROVIDERS, without its key. The first model is the default. */
export type ReportedModelProvider = {
  name: string
  api: 'openai' | 'anthropic'
  host: string
  /** `price`: US dollars for a million tokens. */
  models: { name: string; price: { input: number; output: number } | null }[]
}

/**
 * The language models of the running workers, in the order of their settings: those of the worker that reported last,
 * then what only others have. Undefined while no worker runs that says so.
 */
export const readModelProviders = async (db: Db): Promise<ReportedModelProvider[] | undefined> => {
  const rows = await db<{ reported: ReportedModelProvider[] }[]>`
    SELECT language_models AS reported FROM workers
    WHERE ${isWorkerAlive(db)} AND language_models IS NOT NULL ORDER BY seen_at DESC`
  if (rows.length === 0) return undefined
  const byName = new Map<string, ReportedModelProvider>()
  for (const { reported } of rows)
    for (const provider of reported)
      if (!byName.has(provider.name)) byName.set(provider.name, provider)
  return [...byName.values()]
}

/** What a worker reports of itself. `slots`: concurrent attempts. */
type WorkerReport = {
  id: string
  slots: number
  providers: Provider[]
  languageModels: ReportedModelProvider[]
  /** Ids of the keys of its ARDEN_ENCRYPTION_KEY. */
  encryptionKeys: string[]
  /** The attempts that wait for Temporal, which does not respond; null while it does. */
  temporalAway: () => 'all' | 'retries' | null
}

/**
 * Maintains the row of this worker in `workers` until `signal` aborts, then ends it. From these rows `serve` knows
 * whether workers run, claims know the capacity, and `arden doctor` which polls are of workers of this database.
 */
export const reportWorker = async (
  sql: Sql,
  { id, slots, providers, languageModels, encryptionKeys, temporalAway }: WorkerReport,
  signal: AbortSignal,
): Promise<void> => {
  // Errors are ignored: the next heartbeat makes up for a missed one.
  while (!signal.aborted) {
    // Rows of workers that ended are deleted after an hour, longer than Temporal lists their polls.
    await sql`
      WITH ended AS (
        DELETE FROM workers
        WHERE seen_at < clock_timestamp() - interval '1 hour' AND id <> ${id}
      )
      INSERT INTO workers (id, slots, providers, language_models, encryption_keys, temporal_away)
      VALUES (${id}, ${slots}, ${providers}, ${sql.json(languageModels)}, ${encryptionKeys},
        ${temporalAway()})
      ON CONFLICT (id) DO UPDATE
        SET seen_at = clock_timestamp(), slots = EXCLUDED.slots, providers = EXCLUDED.providers,
          language_models = EXCLUDED.language_models, encryption_keys = EXCLUDED.encryption_keys,
          temporal_away = EXCLUDED.temporal_away`.catch(() => {})
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await sql`
    UPDATE workers SET seen_at = clock_timestamp() - make_interval(secs => ${WORKER_ALIVE_S})
    WHERE id = ${id}`.catch(() => {})
}

/** Whether a worker on the machine or container `host` is running. */
export const hasLiveWorker = async (sql: Sql, host: string): Promise<boolean> => {
  const [found] = await sql`
    SELECT 1 FROM workers
    WHERE starts_with(id, ${`${host}:`})
      AND ${isWorkerAlive(sql)}`
  return found !== undefined
}
