import { expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import { queueEntry } from '../../../test/support/webhooks/queue-entry'
import { laneCapacity } from './capacity'
import { type Entry, KIND } from './entry'
import { createFairQueue } from './fair-queue'

const NOW = 1_000_000

test('every delivery is taken once each time it waits, whatever claims report and whenever more are added', () => {
  const outcomes = [
    'claimed',
    'claimed',
    'claimed',
    'gone',
    'blocked',
    'refused',
    'unread',
  ] as const
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
          if (outcome === 'unread') {
            queue.readAgain(reading)
            continue
          }
          const read = [...rows.values()]
            .filter(row => row.webhookId === reading.webhookId && row.kind === reading.kind)
            .filter(row => row.id >= reading.from.id && row.sequence >= reading.from.sequence)
            .sort((a, b) => (a.id < b.id ? -1 : 1))
          queue.setRead(reading, read.slice(0, 3), read.length <= 3)
        }
        if (outcome !== 'unread') taken.push(...queue.take(most - taken.length, now))
        for (const one of taken) {
          expect(rows.has(keyOf(one))).toBe(true)
          if (outcome === 'claimed' || outcome === 'gone') rows.delete(keyOf(one))
          if (outcome === 'claimed') inProgress.push(one)
          queue.report(one, outcome === 'unread' ? 'refused' : outcome, now)
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
        const added = queueEntry(
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
