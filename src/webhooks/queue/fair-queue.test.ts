import { describe, expect, test } from 'bun:test'
import { queueEntry as entry } from '../../../test/support/webhooks/queue-entry'
import { laneCapacity, workflowCapacity } from './capacity'
import { type Entry, KIND } from './entry'
import { createFairQueue, type FairQueue } from './fair-queue'
import { DEFER_MS } from './webhook'

const NOW = 1_000_000

const fill = (queue: FairQueue, account: string, webhooks: number, each: number, kind?: number) => {
  for (let w = 0; w < webhooks; w++)
    for (let n = 1; n <= each; n++) queue.add(entry(account, `wh${w}`, n, kind), NOW)
}
const of = (account: string, taken: Entry[]) => taken.filter(one => one.accountId === account)
const claimAll = (queue: FairQueue, taken: Entry[]) => {
  for (const one of taken) queue.report(one, 'claimed', NOW)
}

describe('turns', () => {
  test('are by account: one with 200 webhooks gets as much as one with a single webhook', () => {
    const queue = createFairQueue({})
    fill(queue, 'many', 200, 5)
    fill(queue, 'one', 1, 100)
    const taken = queue.take(100, NOW)
    expect([of('many', taken).length, of('one', taken).length]).toEqual([50, 50])
  })

  test('try the first row of a backlog before the rest is read', () => {
    const queue = createFairQueue({})
    const first = entry('acc', 'wh0', 1)
    queue.addFirst({ ...first, isPaused: false }, NOW)
    expect(queue.take(10, NOW)).toEqual([first])
    expect(queue.readings()).toMatchObject([{ from: { id: 'dlv_000001~' } }])
  })

  test('are by webhook within an account', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 3, 50)
    const taken = queue.take(30, NOW)
    const counts = Map.groupBy(taken, one => one.webhookId)
    expect([...counts.values()].map(one => one.length)).toEqual([10, 10, 10])
  })

  test('of an account with nothing in progress come before 1,000 with a backlog', () => {
    const queue = createFairQueue({})
    for (let n = 0; n < 1_000; n++)
      queue.addFirst({ ...entry(`acc${n}`, 'wh', 1), isPaused: false }, NOW)
    queue.add(entry('new', 'wh', 1), NOW)
    expect(of('new', queue.take(2, NOW))).toHaveLength(1)
  })

  test('of accounts with a backlog go on beside any number that have nothing in progress', () => {
    const queue = createFairQueue({})
    fill(queue, 'backlog', 1, 50)
    claimAll(queue, queue.take(1, NOW))
    for (let n = 0; n < 100; n++) fill(queue, `light${n}`, 1, 1)
    expect(of('backlog', queue.take(50, NOW))).toHaveLength(10)
  })

  test('of an account that is full wait until it is not, those of others do not', () => {
    let isFull = true
    const queue = createFairQueue({ isFull: accountId => accountId === 'full' && isFull })
    fill(queue, 'full', 3, 1)
    fill(queue, 'other', 1, 2)
    expect(queue.take(10, NOW).map(one => one.accountId)).toEqual(['other', 'other'])
    expect(queue.isLimited()).toBe(true)
    isFull = false
    expect(of('full', queue.take(10, NOW))).toHaveLength(3)
    expect(queue.isLimited()).toBe(false)
  })

  test('of a webhook are for its events before its redeliveries, however many were requested first', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 100, KIND.redelivery)
    queue.add(entry('acc', 'wh0', 999), NOW)
    expect(queue.take(3, NOW).map(({ kind }) => kind)).toEqual([
      KIND.first,
      KIND.redelivery,
      KIND.redelivery,
    ])
  })

  test('of a webhook whose events never end are for a redelivery after each three of them', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 100)
    fill(queue, 'acc', 1, 2, KIND.redelivery)
    const kinds = queue.take(12, NOW).map(({ kind }) => kind)
    expect(kinds.flatMap((kind, n) => (kind === KIND.redelivery ? [n] : []))).toEqual([3, 7])
  })

  test('of slow webhooks are one in ten while others wait, and all of them otherwise', () => {
    const queue = createFairQueue({ capacity: laneCapacity(2_000) })
    fill(queue, 'slow', 50, 5)
    fill(queue, 'quick', 50, 5)
    queue.setState({ slow: new Set(Array.from({ length: 50 }, (_, n) => `slow-wh${n}`)) })
    expect(of('slow', queue.take(50, NOW))).toHaveLength(5)
    const rest = queue.take(1_000, NOW)
    // One of each at a time.
    expect(of('slow', rest)).toHaveLength(45)
    expect(of('quick', rest)).toHaveLength(205)
  })
})

describe('a webhook', () => {
  test('that is paused is left until it is announced, and continues with all that it had', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 5)
    for (const one of queue.take(2, NOW)) queue.report(one, 'paused', NOW)
    expect(queue.take(10, NOW)).toEqual([])
    expect(queue.readings()).toEqual([])
    queue.add(entry('acc', 'wh0', 1), NOW)
    expect(queue.take(10, NOW)).toEqual([])
    const [reading] = queue.readings()
    expect(reading?.from.id).toBe('dlv_000001')
    if (reading)
      queue.setRead(
        reading,
        [1, 2, 3, 4, 5].map(n => entry('acc', 'wh0', n)),
        true,
      )
    expect(queue.take(10, NOW)).toHaveLength(5)
  })

  test('that the scan reports as paused is left, unless the log has named it before', () => {
    const queue = createFairQueue({})
    queue.add(entry('known', 'wh0', 1), NOW)
    for (const account of ['known', 'unknown'])
      for (const kind of [KIND.inOrder, KIND.first])
        queue.addFirst({ ...entry(account, 'wh0', 1, kind), isPaused: true }, NOW)
    expect(queue.take(10, NOW).map(({ accountId }) => accountId)).toEqual(['known', 'known'])
  })

  test('that is ordered has one delivery at a time; what another claimer blocks is tried again', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 3, KIND.inOrder)
    const [first] = queue.take(10, NOW)
    if (first === undefined) throw new Error('nothing was taken')
    expect(first.sequence).toBe(1)
    queue.report(first, 'claimed', NOW)
    expect(queue.take(10, NOW)).toEqual([])
    queue.finish(first, NOW)
    const [second] = queue.take(10, NOW)
    if (second === undefined) throw new Error('nothing was taken')
    expect(second.sequence).toBe(2)
    queue.report(second, 'blocked', NOW)
    expect(queue.take(10, NOW)).toEqual([])
    expect(queue.take(10, NOW + 1_100).map(({ sequence }) => sequence)).toEqual([2])
  })

  test('that others leave to another claimer is read after half a second', () => {
    const queue = createFairQueue({ isPreferred: () => false })
    fill(queue, 'acc', 1, 5)
    expect(queue.take(10, NOW + DEFER_MS - 100)).toEqual([])
    expect(queue.readings()).toEqual([])
    queue.take(10, NOW + DEFER_MS + 50)
    expect(queue.readings()).toMatchObject([{ kind: KIND.first, from: { id: 'dlv_000001' } }])
  })

  test('with more than 200 known deliveries has the rest read, each once', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 500)
    const ids = queue.take(1_000, NOW).map(({ id }) => id)
    expect(ids).toHaveLength(200)
    const [reading] = queue.readings()
    expect(reading?.from.id).toBe('dlv_000201')
  })
})

describe('a delivery that is in progress', () => {
  const claimTwo = (queue: FairQueue) => {
    fill(queue, 'acc', 1, 2)
    claimAll(queue, queue.take(2, NOW))
  }

  test('is tried once more after it when the log has named it meanwhile', () => {
    const queue = createFairQueue({})
    claimTwo(queue)
    queue.add(entry('acc', 'wh0', 1), NOW)
    expect(queue.take(10, NOW)).toEqual([])
    queue.finish(entry('acc', 'wh0', 1), NOW)
    expect(queue.take(10, NOW)).toEqual([entry('acc', 'wh0', 1)])
    queue.report(entry('acc', 'wh0', 1), 'gone', NOW)
    queue.finish(entry('acc', 'wh0', 2), NOW)
    expect(queue.take(10, NOW)).toEqual([])
  })

  test('is tried as the kind that the log has named, when its claim finds it gone', () => {
    const queue = createFairQueue({})
    fill(queue, 'acc', 1, 1, KIND.inOrder)
    const [taken] = queue.take(1, NOW)
    if (taken === undefined) throw new Error('nothing was taken')
    queue.add(entry('acc', 'wh0', 1), NOW)
    queue.report(taken, 'gone', NOW)
    expect(queue.take(10, NOW)).toEqual([entry('acc', 'wh0', 1)])
  })

  test('and was read meanwhile, is tried after it, and so is what follows it', () => {
    const queue = createFairQueue({})
    claimTwo(queue)
    queue.addFirst({ ...entry('acc', 'wh0', 1), isPaused: false }, NOW)
    queue.take(10, NOW)
    const read = [1, 2].map(n => entry('acc', 'wh0', n))
    for (const reading of queue.readings()) queue.setRead(reading, read, false)
    expect(queue.take(10, NOW)).toEqual([])
    const [next] = queue.readings()
    expect(next?.from.id).toBe('dlv_000002~')
    if (next) queue.setRead(next, [entry('acc', 'wh0', 3)], true)
    expect(queue.take(10, NOW).map(({ id }) => id)).toEqual(['dlv_000003'])
    queue.finish(entry('acc', 'wh0', 2), NOW)
    expect(queue.take(10, NOW).map(({ id }) => id)).toEqual(['dlv_000002'])
  })
})

test('a webhook at its limit is tried when its attempts elsewhere end, whatever number hangs', () => {
  const queue = createFairQueue({})
  const setOutside = (ofQuick: number) => {
    const hanging = Array.from({ length: 500 }, (_, n) => [
      `hanging${n}-wh0`,
      { count: 2, isLate: true },
    ]) satisfies [string, unknown][]
    const outside = new Map(hanging).set('quick-wh0', { count: ofQuick, isLate: false })
    queue.setState({ slow: new Set(), outside, capacity: workflowCapacity(2_000) })
  }
  for (let n = 0; n < 500; n++) fill(queue, `hanging${n}`, 1, 1)
  fill(queue, 'quick', 1, 1)
  setOutside(30)
  expect(queue.take(20, NOW)).toEqual([])
  setOutside(0)
  expect(queue.take(20, NOW)).toEqual([entry('quick', 'wh0', 1)])
})
