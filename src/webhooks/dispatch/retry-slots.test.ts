import { expect, test } from 'bun:test'
import { createRetrySlots } from './retry-slots'

/** Takes slots for the account until it gets none. */
const takeAll = ({ take }: ReturnType<typeof createRetrySlots>, account: string) => {
  const taken: (() => void)[] = []
  for (let free = take(account); free !== undefined; free = take(account)) taken.push(free)
  return taken
}

test('an account alone has a twelfth of all slots, and each further one gets some of the rest', () => {
  const slots = createRetrySlots(1_200)
  const counts = ['a', 'b', 'c', 'd'].map(account => takeAll(slots, account).length)
  expect(counts).toEqual([100, 67, 44, 30])
})

test('accounts that take turns get the same', () => {
  const slots = createRetrySlots(1_200)
  const counts = new Map<string, number>()
  for (let n = 0; n < 300; n++)
    for (const account of ['a', 'b', 'c', 'd'])
      if (slots.take(account) !== undefined) counts.set(account, (counts.get(account) ?? 0) + 1)
  expect([...counts.values()]).toEqual([50, 50, 50, 50])
})

test('all accounts together have a quarter of all slots at most', () => {
  const slots = createRetrySlots(40)
  const all = Array.from({ length: 100 }, (_, n) => takeAll(slots, `${n}`)).flat()
  expect(all).toHaveLength(10)
  expect(slots.take('another')).toBeUndefined()
  all[0]?.()
  expect(slots.take('another')).toBeDefined()
})

test('an account gets a slot again when one of its retries has ended', () => {
  const slots = createRetrySlots(12)
  const [free] = takeAll(slots, 'a')
  expect(slots.take('a')).toBeUndefined()
  free?.()
  expect(slots.take('a')).toBeDefined()
})

test('a worker with one slot makes retries too', () => {
  expect(createRetrySlots(1).take('a')).toBeDefined()
})
