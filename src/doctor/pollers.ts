import type { Temporal } from '../temporal/connection'
import { type Checks, type Finding, fail, ok } from './check'
import { compareClocks } from './clock'

/** Numbers of Temporal's TaskQueueType. */
const TASK_KINDS = { workflow: 1, activity: 2 } as const
/** A poll ends after a minute without a task, and the next one begins. In ms. */
const POLL_MS = 60_000
const MARGIN_MS = 15_000

type TaskKind = keyof typeof TASK_KINDS
/** `at`: when its latest poll began, by Temporal's clock, in ms. */
type Poller = { identity: string; at: number }

/** Asks Temporal, once it is connected. */
export type CallTemporal = <T>(question: (temporal: Temporal) => Promise<T>) => Promise<T>

/** Who polls the task queue for each kind of task, and what their polls tell of Temporal's clock. */
export const pollerChecks = (ask: CallTemporal, taskQueue: string): Checks => {
  const pollers = async (kind: TaskKind): Promise<Poller[]> => {
    const answer = await ask(({ connection, namespace }) =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: TASK_KINDS[kind],
      }),
    )
    return (answer.pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      at: Number(lastAccessTime?.seconds ?? 0) * 1000 + (lastAccessTime?.nanos ?? 0) / 1e6,
    }))
  }
  return {
    'workflow pollers': async () => checkPollers(await pollers('workflow'), 'workflow', taskQueue),
    'activity pollers': async () => checkPollers(await pollers('activity'), 'activity', taskQueue),
    'temporal clock': async () => checkClock(await pollers('workflow')),
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

/** Temporal tells no time, but when a poll began: that lies at most a poll's length in the past. */
const checkClock = (pollers: Poller[]): Finding => {
  if (pollers.length === 0) return ok('Nobody polls, so Temporal shows no time to compare.')
  const latest = Math.max(...pollers.map(({ at }) => at)) - Date.now()
  return compareClocks("Temporal's", latest, latest < 0 ? POLL_MS + MARGIN_MS : 0)
}
