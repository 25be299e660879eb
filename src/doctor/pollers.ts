import type { Sql } from '../db/connect'
import { findMissingStandby } from '../db/missing-standby'
import { requireWritable } from '../db/read-only'
import type { Temporal } from '../temporal/connection'
import { isWorkerAlive } from '../temporal/heartbeat'
import {
  describeForeignWorkers,
  foreignWorkers,
  listPollers,
  POLL_MARGIN_MS,
  POLL_MS,
  type Poller,
  pollingNow,
  type TaskKind,
} from '../temporal/pollers'
import { busyTaskQueue, generationTaskQueue } from '../temporal/task-queues'
import { type Checks, type Finding, fail, ok, warn } from './check'
import { compareClocks } from './clock'

/** Calls Temporal on a connection that is opened when it is first needed. */
export type CallTemporal = <T>(request: (temporal: Temporal) => Promise<T>) => Promise<T>

/**
 * Checks that workers poll the task queues of deliveries and of generations for both kinds of tasks, and none of another
 * installation, and derives Temporal's clock from the times of their polls.
 */
export const pollerChecks = (call: CallTemporal, taskQueue: string, sql?: Sql): Checks => {
  let known: Promise<Running | undefined> | undefined
  // Once for all checks.
  const readRunning = () => (known ??= runningWorkers(sql))
  const pollers = (kind: TaskKind, name = taskQueue): Promise<Poller[]> =>
    call(temporal => listPollers(temporal, name, kind))
  const check = async (kind: TaskKind, name = taskQueue, listed?: Poller[]) => {
    const [found, running] = await Promise.all([listed ?? pollers(kind, name), readRunning()])
    const polling = pollingNow(found, earlier(running)).filter(
      ({ identity }) => running?.ids.has(identity) ?? true,
    )
    return checkPollers(polling.length, kind, name)
  }
  const bothPollers = async (name: string) => {
    const found = await check('workflow', name)
    return found.status === 'ok' ? check('activity', name) : found
  }
  return {
    'workflow pollers': async () => {
      const found = await pollers('workflow')
      // Without PostgreSQL or its migrations, which is another check's finding, no worker is known.
      const polling = pollingNow(found, earlier(await readRunning()))
      const foreign = await (sql && foreignWorkers(sql, polling).catch(() => []))
      if (foreign === undefined || foreign.length === 0) return check('workflow', taskQueue, found)
      const { found: what, todo } = describeForeignWorkers(foreign, taskQueue)
      return warn(what, todo)
    },
    'activity pollers': () => check('activity'),
    'busy pollers': () => bothPollers(busyTaskQueue(taskQueue)),
    'generation pollers': () => bothPollers(generationTaskQueue(taskQueue)),
    'temporal clock': async () => {
      const running = await readRunning()
      if (running === undefined)
        return ok(
          'Which workers run is not known without PostgreSQL and its migrations, so no clock is compared.',
        )
      const ofRunning = (await pollers('workflow')).filter(({ identity }) =>
        running.ids.has(identity),
      )
      return checkClock(ofRunning)
    },
  }
}

const checkPollers = (workers: number, kind: TaskKind, taskQueue: string): Finding =>
  workers > 0
    ? ok(
        `${workers} ${workers === 1 ? 'worker polls' : 'workers poll'} the task queue ${taskQueue}.`,
      )
    : fail(
        `No worker polls the task queue ${taskQueue} for ${kind} tasks.`,
        'Start one: arden worker, with the same ARDEN_TASK_QUEUE and TEMPORAL_NAMESPACE.',
      )

/** `at`: the time of PostgreSQL, in ms. */
type Running = { ids: Set<string>; at: number }

/** Now, in ms, by the clock that is behind: one that is ahead, which is another check's finding, makes no poll an old one. */
const earlier = (running: Running | undefined): number =>
  Math.min(Date.now(), running?.at ?? Number.POSITIVE_INFINITY)

/**
 * The identities of the workers that report to PostgreSQL; undefined where they cannot, which is another check's finding.
 * Temporal lists the polls of a killed worker for five minutes.
 */
const runningWorkers = async (sql: Sql | undefined): Promise<Running | undefined> => {
  if (sql === undefined) return undefined
  try {
    await requireWritable(sql)
    if ((await findMissingStandby(sql)) !== undefined) return undefined
    const [{ ids, at }] = await sql<[{ ids: string[]; at: Date }]>`
      SELECT coalesce(array_agg(id), '{}') AS ids, clock_timestamp() AS at
      FROM workers WHERE ${isWorkerAlive(sql)}`
    return { ids: new Set(ids), at: at.getTime() }
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
  return compareClocks("Temporal's", latest, latest < 0 ? POLL_MS + POLL_MARGIN_MS : 0)
}
