import { describe, expect, test } from 'bun:test'
import { settled } from '../../../test/support/settled'
import { createBusyAccounts, createBusyClaims } from './busy-accounts'

/** Busy accounts with a clock that `pass` moves, in ms. */
const start = () => {
  let at = 0
  const accounts = createBusyAccounts(() => at)
  const startOf = async (accountId: string, takesMs = 0) => {
    const isBusy = accounts.countStart(accountId)
    await accounts.start(isBusy, async () => {
      at += takesMs
    })
    return isBusy ? 'busy' : 'other'
  }
  const startMany = async (accountId: string, count: number) => {
    const kinds: string[] = []
    for (let n = 0; n < count; n++) kinds.push(await startOf(accountId))
    return kinds
  }
  return { accounts, startOf, startMany, pass: (ms: number) => (at += ms) }
}

describe('an account', () => {
  test('is busy after 20 starts at once, until it could start as many again', async () => {
    const { startMany, startOf, pass } = start()
    expect(new Set(await startMany('acc_1', 20))).toEqual(new Set(['other']))
    expect(await startOf('acc_1')).toBe('busy')
    expect(await startOf('acc_2')).toBe('other')
    pass(1_900)
    expect(await startOf('acc_1')).toBe('busy')
    pass(2_000)
    expect(await startOf('acc_1')).toBe('other')
  })

  test('that starts ten in a second is never busy', async () => {
    const { startOf, pass } = start()
    for (let n = 0; n < 1_000; n++) {
      expect(await startOf('acc_1')).toBe('other')
      pass(100)
    }
  })

  test('of very many, the one without a start for longest is forgotten', async () => {
    const { startMany, startOf } = start()
    await startMany('acc_1', 20)
    await startMany('acc_2', 20)
    for (let n = 0; n < 9_998; n++) await startOf(`acc_other_${n}`)
    expect(await startOf('acc_2')).toBe('busy')
    await startOf('acc_one_more')
    expect(await startOf('acc_1')).toBe('other')
  })
})

test('an account alone, however much it starts, has all the room there is', async () => {
  const { accounts, startOf, startMany, pass } = start()
  await startMany('acc_1', 20)
  for (let n = 0; n < 600; n++) {
    pass(50)
    expect(await startOf('acc_1')).toBe('busy')
  }
  expect(accounts.tasks()).toBe(50)
})

describe('busy accounts', () => {
  test('have more room from second to second, up to a minute after others were late', () => {
    const { accounts, pass } = start()
    accounts.reportLateness(250)
    expect(accounts.tasks()).toBe(50)
    accounts.reportLateness(251)
    const tasks = [accounts.tasks()]
    for (let n = 0; n < 7; n++) {
      pass(10_000)
      tasks.push(accounts.tasks())
    }
    expect(tasks).toEqual([6, 13, 21, 28, 35, 43, 50, 50])
  })

  test('have no room after a start of another account that took long', async () => {
    const { accounts, startOf, pass } = start()
    pass(60_000)
    await startOf('acc_1', 251)
    expect(accounts.tasks()).toBe(6)
  })

  test('have no room after a start of another account that timed out', async () => {
    const { accounts, pass } = start()
    pass(60_000)
    const begin = async () => {
      pass(5_000)
      throw new Error('DEADLINE_EXCEEDED')
    }
    expect(await settled(accounts.start(false, begin))).toThrow()
    expect(accounts.tasks()).toBe(6)
  })

  test('try none that waits when a start has failed', async () => {
    const { accounts } = start()
    accounts.reportLateness(251)
    let tried = 0
    const begin = async () => {
      tried++
      throw new Error('UNAVAILABLE')
    }
    const starts = Array.from({ length: 8 }, () => accounts.start(true, begin))
    for (const { status } of await Promise.allSettled(starts)) expect(status).toBe('rejected')
    expect(tried).toBe(2)
    expect(await settled(accounts.start(true, begin))).toThrow('UNAVAILABLE')
    expect(tried).toBe(3)
  })

  test('start as many workflows at a time as they have room for', async () => {
    const { accounts } = start()
    accounts.reportLateness(251)
    let starting = 0
    const gate = Promise.withResolvers<void>()
    const begin = async () => {
      starting++
      await gate.promise
    }
    const starts = Array.from({ length: 5 }, () => accounts.start(true, begin))
    await Bun.sleep(0)
    expect(starting).toBe(2)
    gate.resolve()
    await Promise.all(starts)
    expect(starting).toBe(5)
  })
})

test('a dispatcher with many claims of busy accounts makes no others of them, and those of others', () => {
  const claims = createBusyClaims(3)
  for (const accountId of ['acc_1', 'acc_1', 'acc_2']) claims.add(accountId)
  expect(['acc_1', 'acc_2', 'acc_3'].map(claims.isFull)).toEqual([true, true, false])
  claims.remove('acc_2')
  expect(claims.isFull('acc_1')).toBe(false)
})
