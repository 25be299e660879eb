import { createFifo, type Fifo } from './fifo'

/**
 * Turns by account, then by webhook: each account gets one, whatever the number of its webhooks, and within it each
 * webhook. Those that have nothing in progress come first, so that a single delivery does not wait for one turn of every
 * backlog; every fifth turn is for the others all the same. Each call costs the same, however many wait.
 */
type Rounds<T extends { accountId: string }> = {
  /** Adds a webhook that is not among them. `isIdle`: whether nothing of the account, or the webhook, is in progress. */
  add: (one: T, isIdle: { account: boolean; webhook: boolean }) => void
  /** Removes and returns the next one. */
  next: () => T | undefined
}

/** Two lines, and how many of `idle` came before `busy` since its last turn. */
type Lines<T> = { idle: Fifo<T>; busy: Fifo<T>; passed: number }

const PASSED_MAX = 4

export const createRounds = <T extends { accountId: string }>(): Rounds<T> => {
  const accounts = createLines<string>()
  const webhooks = new Map<string, Lines<T>>()
  return {
    add: (one, isIdle) => {
      const { accountId } = one
      let lines = webhooks.get(accountId)
      if (lines === undefined) {
        lines = createLines()
        webhooks.set(accountId, lines)
        accounts[isIdle.account ? 'idle' : 'busy'].push(accountId)
      }
      lines[isIdle.webhook ? 'idle' : 'busy'].push(one)
    },
    next: () => {
      const accountId = takeNext(accounts)
      const lines = accountId === undefined ? undefined : webhooks.get(accountId)
      if (accountId === undefined || lines === undefined) return undefined
      const one = takeNext(lines)
      if (lines.idle.size() + lines.busy.size() > 0) accounts.busy.push(accountId)
      else webhooks.delete(accountId)
      return one
    },
  }
}

const createLines = <T>(): Lines<T> => ({
  idle: createFifo(),
  busy: createFifo(),
  passed: 0,
})

const takeNext = <T>(lines: Lines<T>): T | undefined => {
  const { idle, busy } = lines
  const isIdle = busy.size() === 0 || (idle.size() > 0 && lines.passed < PASSED_MAX)
  lines.passed = isIdle && busy.size() > 0 ? lines.passed + 1 : 0
  return (isIdle ? idle : busy).shift()
}
