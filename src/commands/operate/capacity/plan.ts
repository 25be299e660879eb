import { DEFAULT_IN_FLIGHT } from '../../../config'
import { laneCapacity, workflowCapacity } from '../../../webhooks/queue/capacity'
import {
  CONNECTIONS,
  CPU_MS,
  DISK_BYTES,
  MEMORY_MB,
  type Mode,
  ONE_POSTGRES_CORES,
  USED_CORES,
  WAL_BYTES,
} from './figures'

export type Load = {
  /** Deliveries a second, each of an event of its own. */
  rate: number
  mode: Mode
  /** Percent of the first attempts that fail. */
  failingPercent: number
  /** What receivers take to respond. */
  responseMs: number
  /** Of an event. */
  bodyBytes: number
  retentionDays: number
}

/** What a part of an installation needs; `cores` with those that stay free. */
type Part = { cores: number; processes?: number; memory_mb?: number }

/** The names are those of `--json`. */
export type Plan = {
  serve: Part
  worker: Part
  postgres: Part
  temporal: Part
  /** PostgreSQL of Temporal's store. */
  temporal_postgres: Part
  cores: number
  connections: number
  disk_bytes_per_day: number
  disk_bytes: number
  wal_bytes_per_second: number
  in_flight: number
  /** Whether one PostgreSQL carries it. */
  fits_one_postgres: boolean
}

/** Each role has two processes, so that one can restart. A process uses one core. */
const LEAST_PROCESSES = 2

/** What an installation needs for a load, from what one delivery was measured to cost. */
export const planFor = (load: Load): Plan => {
  const { rate, mode, failingPercent, responseMs, bodyBytes, retentionDays } = load
  const cpu = CPU_MS[mode]
  const workflows = mode === 'every' ? rate : (rate * failingPercent) / 100
  const coresOf = (perSecond: number, ms: number) => (perSecond * ms) / 1000 / USED_CORES
  const inFlight = Math.ceil((rate * responseMs) / 1000)
  const { slots, shared } = (mode === 'every' ? workflowCapacity : laneCapacity)(DEFAULT_IN_FLIGHT)
  const serveCores = coresOf(rate, cpu.serve)
  const workerCores =
    coresOf(rate, cpu.worker) + (mode === 'every' ? 0 : coresOf(workflows, CPU_MS.workflow.worker))
  const serves = Math.max(LEAST_PROCESSES, Math.ceil(serveCores))
  const workers = Math.max(
    LEAST_PROCESSES,
    Math.ceil(workerCores),
    Math.ceil(inFlight / (slots * shared)),
  )
  const postgres = coresOf(rate, cpu.postgres)
  const temporal = coresOf(workflows, CPU_MS.workflow.temporal)
  const temporalPostgres = coresOf(workflows, CPU_MS.workflow.temporalPostgres)
  const diskBytesPerDay = rate * 86_400 * (DISK_BYTES.delivery + bodyBytes)
  return {
    serve: { cores: serveCores, processes: serves, memory_mb: serves * MEMORY_MB.serve },
    worker: {
      cores: workerCores,
      processes: workers,
      memory_mb: workers * MEMORY_MB.worker + inFlight * MEMORY_MB.attempt[mode],
    },
    postgres: { cores: postgres },
    temporal: { cores: temporal },
    temporal_postgres: { cores: temporalPostgres },
    cores: serveCores + workerCores + postgres + temporal + temporalPostgres,
    connections: serves * CONNECTIONS.serve + workers * CONNECTIONS.worker + CONNECTIONS.temporal,
    disk_bytes_per_day: diskBytesPerDay,
    disk_bytes: diskBytesPerDay * retentionDays,
    wal_bytes_per_second: rate * (WAL_BYTES[mode] + bodyBytes),
    in_flight: inFlight,
    fits_one_postgres: Math.max(postgres, temporalPostgres) <= ONE_POSTGRES_CORES,
  }
}
