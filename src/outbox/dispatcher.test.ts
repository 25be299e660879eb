import { afterAll, expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { useDatabase } from '../../test/support/database'
import { createLog } from '../log'
import { noMeter } from '../metrics/meter'
import { createWaker } from '../notifications/wake'
import { runDispatcher } from './dispatcher'
import type { Job, Outbox } from './outbox'

const { sql, url } = await useDatabase()
const waker = createWaker(url)
afterAll(waker.stop)

/** Longer than any quick start, in ms. */
const SLOW_MS = 80

/** How many starts are under way, and how many records claimed but not started, at each start. */
const dispatch = async (startMs: (n: number) => number) => {
  const seen: { starting: number; waiting: number }[] = []
  const stop = new AbortController()
  let [claimed, begun, starting] = [0, 0, 0]
  const outbox: Outbox<Job> = {
    table: 'deliveries',
    delayMs: 0,
    claim: async (_, limit) => {
      claimed += limit
      return Array.from({ length: limit }, (_, n) => ({ id: `dlv_${claimed - n}`, run: 1 }))
    },
    handOver: async () => {
      begun++
      seen.push({ starting: ++starting, waiting: claimed - begun })
      if (begun === 100) stop.abort()
      await sleep(startMs(begun))
      starting--
    },
    markHandedOver: async () => {},
    release: async () => {},
  }
  const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
  const deps = { sql, listen: waker.listen, log, meter: noMeter } as Parameters<
    typeof runDispatcher
  >[1]
  await runDispatcher(outbox, deps, stop.signal)
  return seen
}

test('while starts are slow, few are under way and few records are claimed ahead', async () => {
  const seen = await dispatch(n => (n > 50 ? SLOW_MS : 1))
  const most = (of: 'starting' | 'waiting', from: number, to: number) =>
    Math.max(...seen.slice(from, to).map(one => one[of]))
  expect(most('starting', 0, 50)).toBe(8)
  expect(most('starting', 80, 100)).toBe(1)
  expect(most('waiting', 80, 100)).toBeLessThan(5)
})
