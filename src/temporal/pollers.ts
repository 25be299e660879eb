import type { Sql } from '../db/connect'
import { requireWritable } from '../db/read-only'
import type { Temporal } from './connection'

/** Values of Temporal's TaskQueueType. */
const TASK_KINDS = { workflow: 1, activity: 2 } as const
export type TaskKind = keyof typeof TASK_KINDS

/** A poll without a task lasts one minute, in ms. */
export const POLL_MS = 60_000
/** Of the clocks and of a busy server, in ms. */
export const POLL_MARGIN_MS = 15_000

/** `at`: start of the latest poll by Temporal's clock, in ms. */
export type Poller = { identity: string; at: number }

/** Who polled a task queue: Temporal lists polls of the last five minutes. */
export const listPollers = async (
  { connection, namespace }: Pick<Temporal, 'connection' | 'namespace'>,
  taskQueue: string,
  kind: TaskKind,
): Promise<Poller[]> => {
  const response = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_KINDS[kind],
  })
  return (response.pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    at: Number(lastAccessTime?.seconds ?? 0) * 1000 + (lastAccessTime?.nanos ?? 0) / 1e6,
  }))
}

/** The latest poll of each identity that polls at `now`, or did within the last poll. */
export const pollingNow = (pollers: readonly Poller[], now = Date.now()): Poller[] => {
  const latest = new Map<string, Poller>()
  for (const one of pollers)
    if (one.at > Math.max(now - POLL_MS - POLL_MARGIN_MS, latest.get(one.identity)?.at ?? 0))
      latest.set(one.identity, one)
  return [...latest.values()]
}

/** In ms. A worker that polls reports every 5 s (heartbeat.ts); clocks can differ. */
const SILENT_MS = 120_000

/**
 * The identities of `polling` that are no worker of this database. The rows of workers that ended stay longer than
 * Temporal lists their polls; in a copy of a database are those of the original, which report there no more.
 */
export const foreignWorkers = async (sql: Sql, polling: readonly Poller[]): Promise<string[]> => {
  // While PostgreSQL is read-only, no worker can report.
  await requireWritable(sql)
  const identities = polling.map(({ identity }) => identity)
  const rows = await sql<{ id: string; seen_at: Date }[]>`
    SELECT id, seen_at FROM workers WHERE id = ANY (${identities})`
  const seen = new Map(rows.map(({ id, seen_at }) => [id, seen_at.getTime()]))
  return polling
    .filter(({ identity, at }) => at > (seen.get(identity) ?? 0) + SILENT_MS)
    .map(({ identity }) => identity)
}

/** What workers of two installations on one task queue mean, and what to do. */
export const describeForeignWorkers = (identities: readonly string[], taskQueue: string) => ({
  found: `The task queue ${taskQueue} is polled by ${identities.join(', ')}, and no such worker reports to this database. A worker of another installation takes deliveries of this one, which are sent late then, and replaces its schedules.`,
  todo: 'Give each installation its own TEMPORAL_NAMESPACE. A worker of this one that has stopped within the last minute, or has not reached PostgreSQL for two minutes, is listed as well.',
})
