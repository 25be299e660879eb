import { beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { useReceiver } from '../../../test/support/receiver'
import { settled } from '../../../test/support/settled'
import { createSample } from '../../../test/support/webhooks/sample'
import { sendDeps } from '../../../test/support/webhooks/send-deps'
import { KIND } from '../queue/entry'
import { createRetrySlots } from './retry-slots'
import { send } from './workflow-attempt'

const { sql } = await useDatabase()
const receiver = useReceiver(() => new Response('ok'))
const sample = await createSample(sql, receiver.url)
const deps = {
  ...sendDeps(sql, sample.cipher),
  retrySlots: createRetrySlots(12),
  onRetry: () => {},
}
beforeEach(() => {
  receiver.received.length = 0
})

/** A delivery whose second attempt is due in `ms`. */
const dueIn = async (ms: number) => {
  const id = await sample.delivery()
  const [row] = await sql<[{ due: Date }]>`
    UPDATE deliveries SET attempt_count = 1,
      next_attempt_at = clock_timestamp() + make_interval(secs => ${ms / 1000})
    WHERE id = ${id} RETURNING next_attempt_at AS due`
  return { id, due: row.due }
}
const never = new AbortController().signal

describe('an attempt that is called before it is due', () => {
  test('waits up to a second, and sends nothing early', async () => {
    const { id, due } = await dueIn(900)
    expect(await send(deps, { deliveryId: id, run: 1 }, never)).toMatchObject({
      status: 'DELIVERED',
      attemptCount: 2,
    })
    const [attempt] = await sql<[{ started_at: Date }]>`
      SELECT started_at FROM all_attempts WHERE delivery_id = ${id}`
    expect(attempt.started_at.getTime()).toBeGreaterThanOrEqual(due.getTime())
    expect(receiver.received).toHaveLength(1)
  })

  test('returns the state and sends nothing when it is due later than that', async () => {
    const { id } = await dueIn(20_000)
    expect(await send(deps, { deliveryId: id, run: 1 }, never)).toMatchObject({
      status: 'RETRYING',
      attemptCount: 1,
    })
    expect(receiver.received).toEqual([])
  })

  test('sends nothing when it is cancelled while it waits', async () => {
    const { id } = await dueIn(900)
    const stop = AbortSignal.abort(new Error('stopped'))
    expect(await settled(send(deps, { deliveryId: id, run: 1 }, stop))).toThrow('stopped')
    expect(receiver.received).toEqual([])
  })
})

test('a retry reports how late it begins', async () => {
  const reported: number[] = []
  const onRetry = (lateMs: number) => void reported.push(lateMs)
  const { id } = await dueIn(-3_000)
  await send({ ...deps, onRetry }, { deliveryId: id, run: 1 }, never)
  expect(reported).toHaveLength(1)
  expect(reported[0]).toBeGreaterThanOrEqual(3_000)
})

describe('a retry without a slot', () => {
  const full = { ...deps, retrySlots: { take: () => undefined } }

  test('returns to the queue as it is, to be claimed in its turn', async () => {
    const { id, due } = await dueIn(0)
    let hasNotified = false
    const committed = () => {
      hasNotified = true
    }
    expect(await send({ ...full, committed }, { deliveryId: id, run: 1 }, never)).toBe('queued')
    expect(hasNotified).toBe(true)
    expect(receiver.received).toEqual([])
    const [row] = await sql`
      SELECT status, run, attempt_count, next_attempt_at, kind, claimer
      FROM deliveries JOIN delivery_queue ON delivery_id = id WHERE id = ${id}`
    expect(row).toEqual({
      status: 'RETRYING',
      run: 2,
      attempt_count: 1,
      next_attempt_at: due,
      kind: KIND.first,
      claimer: null,
    })
    // The workflow that did not learn of it, because its worker stopped.
    expect(await send(full, { deliveryId: id, run: 1 }, never)).toBe('not ours')
  })

  test('is made when it was claimed, and only that one', async () => {
    const { id } = await dueIn(0)
    const request = { deliveryId: id, run: 1 }
    expect(await send(full, { ...request, claimedAttempt: 2 }, never)).toMatchObject({
      status: 'DELIVERED',
    })
    const later = await dueIn(0)
    const other = { deliveryId: later.id, run: 1, claimedAttempt: 1 }
    expect(await send(full, other, never)).toBe('queued')
  })
})

test('a first attempt needs no slot for retries', async () => {
  const id = await sample.delivery()
  const full = { ...deps, retrySlots: { take: () => undefined } }
  expect(await send(full, { deliveryId: id, run: 1 }, never)).toMatchObject({ status: 'DELIVERED' })
})
