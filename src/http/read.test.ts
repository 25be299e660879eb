import { describe, expect, test } from 'bun:test'
import type { Sql } from '../db/connect'
import { PAGE_BYTES_MAX } from '../db/page'
import { checkUnread, createRead } from './read'
import { createUnreadLimit, type Reader } from './response/unread-limit'

const sql = {} as Sql

/** Reads that run until `end` is called. */
const createEndlessReads = () => {
  const read = createRead(sql)
  const { promise, resolve } = Promise.withResolvers<void>()
  let running = 0
  return {
    read,
    running: () => running,
    start: (accountId: string) =>
      read({ accountId }, async () => {
        running++
        await promise
      }),
    end: resolve,
  }
}

const error = (read: Promise<unknown>) => read.then(String, (thrown: Error) => thrown.message)

test('slow reads of many accounts leave no more than ten running, and other reads end with a 503 in words', async () => {
  const { read, start, running, end } = createEndlessReads()
  const slow = Array.from({ length: 24 }, (_, n) => error(start(`acc_${n % 6}`)))
  const began = performance.now()
  const [ofOther, ofSame] = await Promise.all([
    error(read({ accountId: 'acc_other' }, async () => 'result')),
    error(start('acc_0')),
  ])
  expect(performance.now() - began).toBeGreaterThan(9_900)
  expect(running()).toBe(10)
  expect(ofOther).toBe(
    'The read was not started: PostgreSQL was busy with reads of other accounts for 10 s. Try again later.',
  )
  expect(ofSame).toBe(
    'The read was not started: other reads of this account took too long, and 3 run at a time. Send fewer requests at a time, and narrow their filters.',
  )
  end()
  await Promise.all(slow)
  expect(running()).toBe(10)
  expect(await read({ accountId: 'acc_other' }, async () => 'result')).toBe('result')
}, 30_000)

test('reads of other accounts get their turn in order, however many reads one account has waiting', async () => {
  const read = createRead(sql)
  const order: string[] = []
  const ends: (() => void)[] = []
  const start = (accountId: string) =>
    read({ accountId }, () => {
      order.push(accountId)
      return new Promise<void>(resolve => ends.push(resolve))
    })
  const greedy = ['a', 'b', 'c', 'd'].flatMap(account =>
    Array.from({ length: 100 }, () => start(account)),
  )
  const other = start('other')
  await Bun.sleep(0)
  expect(order).toHaveLength(10)
  while (!order.includes('other')) {
    ends.shift()?.()
    await Bun.sleep(0)
  }
  // Each of the four had at most three reads before it.
  expect(order.indexOf('other')).toBeLessThanOrEqual(13)
  const drain = setInterval(() => ends.splice(0).map(end => end()), 0)
  await Promise.all([...greedy, other])
  clearInterval(drain)
})

describe('unread responses', () => {
  const reader = (accountId: string, id: string): Reader => ({
    accountId,
    actor: { type: 'key', id, name: 'test' },
  })
  const createReads = () => {
    const unread = createUnreadLimit()
    const read = checkUnread(createRead(sql), unread)
    const addPages = (count: number, by: Reader) =>
      Array.from({ length: count }, () => unread.add(by, PAGE_BYTES_MAX))
    return { addPages, resultFor: (by: Reader) => error(read(by, async () => 'result')) }
  }

  test('refuse the reads of a key at 16 MiB, when it is their turn, and of no other key', async () => {
    const { addPages, resultFor } = createReads()
    const [one, other] = [reader('acc_1', 'key_1'), reader('acc_1', 'key_2')]
    const [release] = addPages(4, one)
    expect(await resultFor(one)).toStartWith(
      'The unread responses of the key key_1 have reached 16 MiB.',
    )
    expect(await resultFor(other)).toBe('result')
    release?.()
    release?.()
    expect(await resultFor(one)).toBe('result')
    addPages(1, one)
    expect(await resultFor(one)).toStartWith('The unread responses')
  })

  test('refuse all reads of an account at 64 MiB, and of no other account', async () => {
    const { addPages, resultFor } = createReads()
    const releases = ['key_1', 'key_2', 'key_3', 'key_4', 'key_5'].flatMap(id =>
      addPages(3, reader('acc_1', id)),
    )
    const last = reader('acc_1', 'key_6')
    expect(await resultFor(last)).toBe('result')
    addPages(1, reader('acc_1', 'usr_1'))
    expect(await resultFor(last)).toStartWith(
      'The unread responses of the keys and users of your account have reached 64 MiB.',
    )
    expect(await resultFor(reader('acc_2', 'key_7'))).toBe('result')
    releases[0]?.()
    expect(await resultFor(last)).toBe('result')
  })
})
