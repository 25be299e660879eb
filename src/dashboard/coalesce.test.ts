import { expect, test } from 'bun:test'
import { until } from '../../test/support/until'
import { createCoalesce } from './coalesce'

test('loads once for concurrent callers of a key, and again when the result is old', async () => {
  const coalesce = createCoalesce<number>(50)
  let loads = 0
  const load = async () => {
    await Bun.sleep(20)
    return ++loads
  }
  expect(
    await Promise.all([coalesce('a', load), coalesce('a', load), coalesce('b', load)]),
  ).toEqual([1, 1, 2])
  expect(await coalesce('a', load)).toBe(1)
  await until('it is loaded again', async () => (await coalesce('a', load)) > 2)
})

test('rejects for every concurrent caller when loading fails, and loads again for the next', async () => {
  const coalesce = createCoalesce<number>()
  const fail = () => Promise.reject(new Error('away'))
  const both = await Promise.allSettled([coalesce('a', fail), coalesce('a', fail)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await coalesce('a', async () => 1)).toBe(1)
})
