import type { Sql } from '../db/connect'
import type { Temporal } from '../temporal/connection'
import { isWorkerAlive } from '../temporal/heartbeat'
import { busyTaskQueue, generationTaskQueue } from '../temporal/task-queues'
import { type Checks, type Finding, fail, ok } from './check'
import { compareClocks } from './clock'

/** Values of Temporal's TaskQueueType. */
const TASK_KINDS = { workflow: 1, activity: 2 } as const
/** A poll without a task lasts one minute, in ms. */
const POLL_MS = 60_000
const MARGIN_MS = 15_000

type TaskKind = keyof typeof TASK_KINDS
/** `at`: start of the latest poll by Temporal's clock, in ms. */
type Poller = { identity: string; at: number }

/** Calls Temporal on a connection that is opened when it is first needed. */
export type CallTemporal = <T>(request: (temporal: Temporal) => Promise<T>) => Promise<T>

/**
 * Checks that workers poll the task queues of deliveries and of generations for both kinds of tasks, and derives
 * Temporal's clock from the times of their polls.
 */
export const pollerChecks = (call: CallTemporal, taskQueue: string, sql?: Sql): Checks => {
  const pollers = async (kind: TaskKind, name = taskQueue): Promise<Poller[]> => {
    const response = await call(({ connection, namespace }) =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: TASK_KINDS[kind],
      }),
    )
    return (response.pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      at: Number(lastAccessTime?.seconds ?? 0) * 1000 + (lastAccessTime?.nanos ?? 0) / 1e6,
    }))
  }
  const bothPollers = async (name: string) => {
    const [workflow, activity] = await Promise.all([
      pollers('workflow', name),
      pollers('activity', name),
    ])
    const found = checkPollers(workflow, 'workflow', name)
    return found.status === 'ok' ? checkPollers(activity, 'activity', name) : found
  }
  return {
    'workflow pollers': async () => checkPollers(await pollers('workflow'), 'workflow', taskQueue),
    'activity pollers': async () => checkPollers(await pollers('activity'), 'activity', taskQueue),
    'busy pollers': () => bothPollers(busyTaskQueue(taskQueue)),
    'generation pollers': () => bothPollers(generationTaskQueue(taskQueue)),
    'temporal clock': async () => {
      const running = await runningWorkers(sql)
      if (running === undefined)
        return ok(
          'Which workers run is not known without PostgreSQL and its migrations, so no clock is compared.',
        )
      const ofRunning = (await pollers('workflow')).filter(({ identity }) => running.has(identity))
      return checkClock(ofRunning)
    },
  }
}

const checkPollers = (pollers: Poller[], kind: TaskKind, taskQueue: string): Finding => {
  const alive = pollers.filter(({ at }) => at > Date.now() - POLL_MS - MARGIN_MS)
  const workers = new Set(alive.map(({ identity }) => identity)).size
  return workers > 0
    ? ok(
        `${workers} ${workers === 1 ? 'worker polls' : 'workers poll'} the task queue ${taskQueue}.`,
      )
    : fail(
        `No worker polls the task queue ${taskQueue} for ${kind} tasks.`,
        'Start one: arden worker, with the same ARDEN_TASK_QUEUE and TEMPORAL_NAMESPACE.',
      )
}

/**
 * The identities of the workers that PostgreSQL knows; undefined where it cannot be read, which is another check's
 * finding. Temporal lists the polls of a killed worker for five minutes.
 */
const runningWorkers = async (sql: Sql | undefined): Promise<Set<string> | undefined> => {
  if (sql === undefined) return undefined
  try {
    const rows = await sql<{ id: string }[]>`SELECT id FROM workers WHERE ${isWorkerAlive(sql)}`
    return new Set(rows.map(({ id }) => id))
  } catch {
    return undefined
  }
}

/**
 * Temporal reports no time of its own, only the start of polls, which for a running worker is at most one poll in the
 * past.
 */
const checkClock = (pollers: Poller[]): Finding => {
  if (pollers.length === 0)
    return ok('No running worker polls, so there is no time of Temporal to compare.')
  const latest = Math.max(...pollers.map(({ at }) => at)) - Date.now()
  return compareClocks("Temporal's", latest, latest < 0 ? POLL_MS + MARGIN_MS : 0)
}
