/** A dispatcher, with deliveries of a busy account that wait for the limit of such accounts (contract 5.3). */
import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until'
import { dispatcherDeps } from '../../../test/support/webhooks/dispatcher-deps'
import { useSender } from '../../../test/support/webhooks/sender'
import { runDispatcher } from '../../outbox/dispatcher'
import { KIND } from '../queue/entry'
import { createBusyAccounts } from './busy-accounts'
import { createDeliveryOutbox } from './outbox'

/** Starts of an account before it is busy. */
const AT_ONCE = 20

const sender = await useSender('https://hooks.example.com/')
const deps = dispatcherDeps(sender)

/** Runs a dispatcher that starts no workflow of a busy account until `open` is called. */
const dispatch = () => {
  const gate = Promise.withResolvers<void>()
  const stop = new AbortController()
  const accounts = createBusyAccounts(() => 0)
  let waiting = 0
  const start = (isBusy: boolean, begin: () => Promise<void>) => {
    if (!isBusy) return begin()
    waiting++
    return gate.promise.then(begin)
  }
  const outbox = createDeliveryOutbox(sender.sql, 'attempts', { ...accounts, start })
  const running = runDispatcher(outbox, deps, stop.signal)
  return {
    waiting: () => waiting,
    open: gate.resolve,
    stop: async () => {
      stop.abort()
      gate.resolve()
      await running
    },
  }
}

const started = (id: string) => sender.reaches(id, 'is started', row => row.kind === KIND.owned)

test('starts deliveries of other accounts while claims full of a busy one wait for its limit', async () => {
  const other = await sender.otherAccount('https://other.example/')
  const dispatcher = dispatch()
  try {
    // More than it claims of busy accounts.
    const ids = await sender.deliveries(70)
    await until('two claims wait', () => dispatcher.waiting() >= 8)
    for (let n = 0; n < 3; n++) await started(await other.delivery())
    dispatcher.open()
    for (const id of ids) await started(id)
  } finally {
    await dispatcher.stop()
  }
})

test('that stops starts nothing more, and makes what it has claimed due', async () => {
  const ids = await sender.deliveries(30)
  const countOf = async (kind: number) => {
    const rows = await sender.sql`
      SELECT FROM delivery_queue WHERE delivery_id = ANY (${ids}) AND kind = ${kind} AND claimer IS NULL`
    return rows.length
  }
  const dispatcher = dispatch()
  try {
    await until('all others are started', async () => (await countOf(KIND.owned)) === AT_ONCE)
    await until('a claim waits', () => dispatcher.waiting() > 0)
  } finally {
    await dispatcher.stop()
  }
  expect(await countOf(KIND.first)).toBe(ids.length - AT_ONCE - dispatcher.waiting())
})
