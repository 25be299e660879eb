import type { Sql, Tx } from '../../../src/db/connect'

/** Holds what `lock` locks, as a transaction that stays open, until what it answers is called. */
export const hold = async (
  sql: Sql,
  lock: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> => {
  const held = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = sql.begin(async tx => {
    // However long the test takes on a busy machine.
    await tx`SET LOCAL idle_in_transaction_session_timeout = 0`
    await lock(tx as Tx)
    held.resolve()
    await free.promise
  })
  await Promise.race([held.promise, holding])
  return async () => {
    free.resolve()
    await holding
  }
}

/** The same for webhooks, as an event that is not committed yet holds those that are ordered. */
export const holdWebhooks = (sql: Sql, ...ids: string[]) =>
  hold(sql, tx => tx`SELECT FROM webhooks WHERE id IN ${tx(ids)} ORDER BY id FOR NO KEY UPDATE`)
