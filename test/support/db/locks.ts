import type { Sql, Tx } from '../../../src/db/connect'

/** Runs `lock` in a transaction that stays open, and returns the function that ends it. */
export const lockUntilReleased = async (
  sql: Sql,
  lock: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> => {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = sql.begin(async tx => {
    // However long the test takes on a busy machine.
    await tx`SET LOCAL idle_in_transaction_session_timeout = 0`
    await lock(tx as Tx)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, transaction])
  return async () => {
    released.resolve()
    await transaction
  }
}

/** Locks webhooks, as an uncommitted event locks those that are ordered. */
export const lockWebhooks = (sql: Sql, ...ids: string[]) =>
  lockUntilReleased(
    sql,
    tx => tx`SELECT FROM webhooks WHERE id IN ${tx(ids)} ORDER BY id FOR NO KEY UPDATE`,
  )
