import type { Sql } from '../db/connect'
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

/** The identities that poll, or did within the last poll. */
export const pollingNow = (pollers: readonly Poller[]): string[] => [
  ...new Set(
    pollers
      .filter(({ at }) => at > Date.now() - POLL_MS - POLL_MARGIN_MS)
      .map(({ identity }) => identity),
  ),
]

/**
 * Those of `identities` that are no worker of this database. The rows of workers that ended stay longer than Temporal
 * lists their polls (heartbeat.ts).
 */
export const foreignWorkers = async (
  sql: Sql,
  identities: readonly string[],
): Promise<string[]> => {
  const own = await sql<{ id: string }[]>`SELECT id FROM workers WHERE id = ANY (${identities})`
  return identities.filter(identity => !own.some(({ id }) => id === identity))
}

/** What workers of two installations on one task queue mean, and what to do. */
export const describeForeignWorkers = (identities: readonly string[], taskQueue: string) => ({
  found: `The task queue ${taskQueue} is polled by ${identities.join(', ')}, and this database knows no such worker. A worker of another installation takes deliveries of this one, which are sent late then, and replaces its schedules.`,
  todo: 'Give each installation its own TEMPORAL_NAMESPACE. A worker that has stopped within the last minute is listed as well.',
})
