import { expect, test } from 'bun:test'
import { until } from '../../test/support/until'
import { createShare } from './coalesce'

test('what many ask for at a time is made once, and again when it is old', async () => {
  const share = createShare<number>(50)
  let made = 0
  const make = async () => {
    await Bun.sleep(20)
    return ++made
  }
  expect(await Promise.all([share('a', make), share('a', make), share('b', make)])).toEqual([
    1, 1, 2,
  ])
  expect(await share('a', make)).toBe(1)
  await until('it is made again', async () => (await share('a', make)) > 2)
})

test('what failed is made again at once, and everyone who waited hears of it', async () => {
  const share = createShare<number>()
  const fails = () => Promise.reject(new Error('away'))
  const both = await Promise.allSettled([share('a', fails), share('a', fails)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await share('a', async () => 1)).toBe(1)
})
