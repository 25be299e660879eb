import { describe, expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import { laneCapacity, workflowCapacity } from './capacity'
import { type Entry, KIND, START } from './entry'
import { createFairQueue, type FairQueue } from './fair-queue'
import { DEFER_MS } from './webhook'

const NOW = 1_000_000

const entry = (account: string, webhook: string, n: number, kind: number = KIND.first): Entry => ({
  accountId: account,
  webhookId: `${account}-${webhook}`,
  kind,
  sequence: kind === KIND.inOrder ? n : 0,
  id: `dlv_${String(n).padStart(6, '0')}`,
})
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
      queue.addFrom(
        { accountId: `acc${n}`, webhookId: `wh${n}`, kind: KIND.first, from: START },
        NOW,
      )
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
    const backlog = { accountId: 'acc', webhookId: 'acc-wh0', kind: KIND.first, from: START }
    queue.addFrom(backlog, NOW)
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

test('every delivery is taken once each time it waits, whatever claims report and whenever more are added', () => {
  const outcomes = ['claimed', 'claimed', 'claimed', 'gone', 'blocked', 'refused'] as const
  const step = fc.oneof(
    fc.record({
      type: fc.constant('add' as const),
      account: fc.integer({ min: 0, max: 2 }),
      webhook: fc.integer({ min: 0, max: 2 }),
      n: fc.integer({ min: 1, max: 30 }),
      kind: fc.constantFrom(KIND.inOrder, KIND.first, KIND.redelivery),
    }),
    fc.record({
      type: fc.constant('take' as const),
      most: fc.integer({ min: 1, max: 20 }),
      outcome: fc.constantFrom(...outcomes),
    }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const queue = createFairQueue({
        capacity: laneCapacity(64),
        isPreferred: id => !id.endsWith('wh2'),
      })
      /** The rows of PostgreSQL that are not claimed. */
      const rows = new Map<string, Entry>()
      const keyOf = (one: Entry) => `${one.webhookId} ${one.kind} ${one.id}`
      let now = NOW
      let inProgress: Entry[] = []
      const finishAll = () => {
        for (const one of inProgress) queue.finish(one, now)
        inProgress = []
      }
      const take = (most: number, outcome: (typeof outcomes)[number]) => {
        const taken = queue.take(most, now)
        for (const reading of queue.readings()) {
          const read = [...rows.values()]
            .filter(row => row.webhookId === reading.webhookId && row.kind === reading.kind)
            .filter(row => row.id >= reading.from.id && row.sequence >= reading.from.sequence)
            .sort((a, b) => (a.id < b.id ? -1 : 1))
          queue.setRead(reading, read.slice(0, 3), read.length <= 3)
        }
        taken.push(...queue.take(most - taken.length, now))
        for (const one of taken) {
          expect(rows.has(keyOf(one))).toBe(true)
          if (outcome === 'claimed' || outcome === 'gone') rows.delete(keyOf(one))
          if (outcome === 'claimed') inProgress.push(one)
          queue.report(one, outcome, now)
        }
        return taken.length
      }
      for (const one of steps) {
        now += 10
        if (one.type === 'take') {
          take(one.most, one.outcome)
          if (one.most % 2 === 0) finishAll()
          continue
        }
        // Ids of different kinds differ, as those of deliveries do.
        const added = entry(
          `acc${one.account}`,
          `wh${one.webhook}`,
          one.n * 10 + one.kind,
          one.kind,
        )
        // One that has been claimed waits again, whether it is still in progress or not.
        if (rows.has(keyOf(added))) continue
        rows.set(keyOf(added), added)
        queue.add(added, now)
      }
      for (let n = 0; n < 2_000 && rows.size > 0; n++) {
        now += 100_000
        finishAll()
        take(50, 'claimed')
      }
      expect([...rows.keys()]).toEqual([])
    }),
    { numRuns: 200 },
  )
})
