import { expect } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { WorkflowHandle } from '@temporalio/client'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import type { History } from '@temporalio/common/lib/proto-utils'
import type { Sql } from '../../../src/db/connect'
import {
  type AttemptOutcome,
  type DeliveryState,
  recordAttempts,
} from '../../../src/webhooks/dispatch/store'
import { ATTEMPT_TASK_TIMEOUT_MS } from '../../../src/webhooks/retry-schedule'
import { LATE_MS } from '../until'

/** Records one attempt, by default one made by a workflow. */
export const recordAttempt = async (
  sql: Sql,
  deliveryId: string,
  outcome: AttemptOutcome,
  by = { inWorkflow: true },
): Promise<DeliveryState | undefined> =>
  (await recordAttempts(sql, [{ deliveryId, outcome }], by)).get(deliveryId)

/** The outcome of an attempt with this response; null: none came. */
export const outcome = (
  httpStatus: number | null,
  more: Partial<AttemptOutcome> = {},
): AttemptOutcome => ({
  attemptId: randomUUID(),
  startedAt: new Date().toISOString(),
  durationMs: 12,
  httpStatus,
  responseBody: httpStatus === null ? null : `body ${httpStatus}`,
  error: httpStatus === 200 ? null : `the endpoint responded with ${httpStatus}`,
  requestUrl: 'https://hooks.example.com/in?token=t',
  signatures: Buffer.alloc(64, 'signature').toString('base64'),
  ...more,
})

/** Largest difference between the clocks of a worker and of PostgreSQL, in ms. */
const CLOCKS_MS = 10
/** Additional time of a task that Temporal gave to no worker, in ms: it times out like one whose worker died. */
const LOST_MS = ATTEMPT_TASK_TIMEOUT_MS

/**
 * Holds the waits before a delivery's last attempts against `schedule`, in ms from the end of the attempt before: none
 * is shorter, and none longer than a busy machine makes it, or a task that its `workflow` has lost.
 */
export const expectWaits = async (
  sql: Sql,
  deliveryId: string,
  schedule: number[],
  workflow: WorkflowHandle,
): Promise<void> => {
  const waits = (await waitsOf(sql, deliveryId)).slice(-schedule.length)
  const late = LATE_MS + ((await hasLostTask(workflow)) ? LOST_MS : 0)
  expect(waits).toHaveLength(schedule.length)
  for (const [n, ms] of schedule.entries()) expect(waits[n]).toBeWithin(ms - CLOCKS_MS, ms + late)
}

/** By the records, which unlike the clock of a receiver are never late. */
const waitsOf = async (sql: Sql, deliveryId: string): Promise<number[]> => {
  const attempts = await sql<{ started_at: Date; duration_ms: number }[]>`
    SELECT started_at, duration_ms FROM all_attempts WHERE delivery_id = ${deliveryId} ORDER BY number`
  return attempts
    .slice(1)
    .map(
      (one, n) =>
        Number(one.started_at) - Number(attempts[n]?.started_at) - (attempts[n]?.duration_ms ?? 0),
    )
}

const hasLostTask = async (workflow: WorkflowHandle): Promise<boolean> => {
  const { events } = await workflow.fetchHistory()
  return (events ?? []).some(event => event.workflowTaskTimedOutEventAttributes)
}

/** What the history of a workflow says of its attempts that are local activities, the oldest first. */
export const attemptsIn = ({ events }: History) =>
  (events ?? []).flatMap(({ markerRecordedEventAttributes: marker, userMetadata }) => {
    if (marker?.markerName !== 'core_local_activity') return []
    const failure = marker.failure ?? undefined
    return {
      failure,
      details: (failure?.applicationFailureInfo?.details?.payloads ?? []).map(decode),
      summary: userMetadata?.summary && decode(userMetadata.summary),
    }
  })

const decode = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload)
