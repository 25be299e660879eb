import type { Caller } from '../../../src/caller'
import type { Sql } from '../../../src/db/connect'
import { updateWebhook } from '../../../src/webhooks/endpoints/store'
import { createCaller } from '../caller'
import { createSample, type Sample } from './sample'

/** A webhook that is ordered, in place of all that the database of a test had, and a caller who may change it. */
export const createOrderedWebhook = async (
  sql: Sql,
): Promise<{ sample: Sample; caller: Caller }> => {
  await sql`TRUNCATE webhooks, events, deliveries, attempts, delivery_queue, claimers`
  const sample = await createSample(sql, 'https://one.example/')
  const [{ id }] = await sql<[{ id: string }]>`SELECT id FROM accounts`
  const caller = await createCaller(sql, 'live', id)
  await sql.begin(tx =>
    updateWebhook(tx, sample.cipher, caller, sample.webhookId, { ordered: true }),
  )
  return { sample, caller }
}
