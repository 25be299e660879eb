/**
 * What one event with one delivery costs, measured (bench/RESULTS.md, docs/capacity.md). capacity.test.ts compares the CPU
 * with the last benchmarks.
 */
export type Mode = 'every' | 'on-retry'

/** CPU in ms. */
export const CPU_MS = {
  /** An event with an `Idempotency-Key`, its delivery, and a first attempt without a workflow. */
  'on-retry': { serve: 0.245, worker: 0.148, postgres: 0.486 },
  /** The same with a workflow. */
  every: { serve: 0.245, worker: 7.48, postgres: 1.9 },
  /** A workflow: `every` has one for each delivery, `on-retry` for those whose first attempt fails. */
  workflow: { temporal: 9.64, temporalPostgres: 10.7, worker: 7.48 },
} as const

/** Memory in MB: of a process, and of one attempt in flight. */
export const MEMORY_MB = {
  serve: 100,
  worker: 250,
  attempt: { every: 0.33, 'on-retry': 0.03 },
} as const

/** Connections to PostgreSQL: of one process, and of the four services of one Temporal. */
export const CONNECTIONS = { serve: 29, worker: 15, temporal: 120 } as const

/** Bytes in PostgreSQL: of a delivery with its event and attempt, indexes included, beside the body of the event. */
export const DISK_BYTES = { delivery: 2_500 } as const
/** Bytes of write-ahead log, beside the bodies. */
export const WAL_BYTES = { every: 6_000, 'on-retry': 4_600 } as const

/** The fraction of the cores that is used. The rest is for peaks, vacuum and backups. */
export const USED_CORES = 0.8
/** Cores for one PostgreSQL: beyond it, several installations share the accounts. */
export const ONE_POSTGRES_CORES = 32
