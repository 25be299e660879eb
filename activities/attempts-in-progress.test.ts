import { expect, test } from 'bun:test'
import { settled } from '../test/support/settled'
import { createAttempts } from './attempts-in-progress'

test('an attempt that Temporal starts again while it is in progress sends nothing: both calls get one result', async () => {
  const begin = createAttempts<number>()
  const sent: PromiseWithResolvers<number>[] = []
  const attempt = () =>
    begin('delivery', () => {
      const response = Promise.withResolvers<number>()
      sent.push(response)
      return response.promise
    })
  const [first, second] = [attempt(), attempt()]
  expect(sent).toHaveLength(1)
  sent[0]?.resolve(1)
  expect(await Promise.all([first.result, second.result])).toEqual([1, 1])

  const next = attempt()
  expect(sent).toHaveLength(2)
  sent[1]?.resolve(2)
  expect(await next.result).toBe(2)
})

test('either of both calls cancels it, and the attempts of other deliveries continue', async () => {
  const begin = createAttempts<void>()
  const attempt = (key: string) =>
    begin(
      key,
      signal =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
  const first = attempt('delivery')
  const other = attempt('another')
  attempt('delivery').cancel(new Error('cancelled'))
  expect(await settled(first.result)).toThrow('cancelled')
  other.cancel(new Error('later'))
  expect(await settled(other.result)).toThrow('later')
})
