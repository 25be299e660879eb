import { expect, test } from 'bun:test'
import { queueEntry } from '../../../test/support/webhooks/queue-entry'
import { KIND } from './entry'
import { createFairQueue } from './fair-queue'
import { createFloors } from './floors'

test('an ordered webhook is forgotten with its last delivery, but for the number that claims begin at', () => {
  const queue = createFairQueue({})
  const entry = (sequence: number) => queueEntry('acc', 'wh', sequence, KIND.inOrder)
  queue.add(entry(7), 0)
  const [taken] = queue.take(1, 0)
  if (taken === undefined) throw new Error('nothing was taken')
  queue.report(taken, 'claimed', 0)
  queue.finish(taken, 0)
  queue.add(entry(8), 0)
  expect(queue.floorOf('acc-wh')).toBe(7)
})

test('of 10,001 floors the one that was kept first is forgotten', () => {
  const floors = createFloors()
  for (let n = 1; n <= 10_001; n++) floors.keep(`wh${n}`, n)
  expect([floors.take('wh1'), floors.take('wh2'), floors.take('wh10001')]).toEqual([0, 2, 10_001])
})
