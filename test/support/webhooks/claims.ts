import type { Sql } from '../../../src/db/connect'
import { createBusyAccounts } from '../../../src/webhooks/dispatch/busy-accounts'
import { createDeliveryOutbox, type DueDelivery } from '../../../src/webhooks/dispatch/outbox'
import { DEFER_MS } from '../../../src/webhooks/queue/webhook'

/** The claims of one dispatcher. What it leaves to another claimer for a moment, it claims after that. */
export const createClaims = (sql: Sql, work: 'attempts' | 'workflows' = 'attempts') => {
  const outbox = createDeliveryOutbox(sql, work, createBusyAccounts())
  const jobs = new Map<string, DueDelivery>()

  /** A workflow has recorded what it had claimed: in a worker, each is handed over before. */
  const forgetRecorded = async () => {
    const claimed = await sql<{ id: string }[]>`
      SELECT delivery_id AS id FROM delivery_queue WHERE claimer IS NOT NULL`
    const recorded = [...jobs.values()].filter(job => claimed.every(({ id }) => id !== job.id))
    if (recorded.length > 0) await handOver(recorded)
  }
  const claimNow = async (limit: number) => {
    const claimed = await outbox.claim(sql, limit)
    for (const job of claimed) jobs.set(job.id, job)
    return claimed
  }
  const handOver = async (claimed: DueDelivery[]) => {
    await outbox.markHandedOver(sql, claimed)
    for (const { id } of claimed) jobs.delete(id)
  }
  return {
    claim: async (limit: number): Promise<DueDelivery[]> => {
      await forgetRecorded()
      const claimed = await claimNow(limit)
      const waitMs = outbox.waitMs?.() ?? 0
      if (claimed.length >= limit || waitMs > DEFER_MS + 50) return claimed
      await Bun.sleep(waitMs + 10)
      return [...claimed, ...(await claimNow(limit - claimed.length))]
    },
    handOver,
    release: async (claimed: DueDelivery[]) => {
      await outbox.release(sql, claimed)
      for (const { id } of claimed) jobs.delete(id)
    },
    stop: async () => outbox.stop?.(),
  }
}
