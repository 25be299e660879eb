import { beforeEach } from 'bun:test'
import { randomBytes } from 'node:crypto'
import type { Caller } from '../../../src/caller'
import type { Tx } from '../../../src/db/connect'
import type { DeliveryFilter } from '../../../src/webhooks/deliveries/filter'
import { createTestDelivery, listDeliveries } from '../../../src/webhooks/deliveries/store'
import { createWebhook } from '../../../src/webhooks/endpoints/store'
import { recordEvent } from '../../../src/webhooks/events/record'
import { createCipher } from '../../../src/webhooks/signing/encryption'
import { createCaller } from '../caller'
import { useDatabase } from '../database'

export const ALL = { limit: 100, before: null }

const cipher = createCipher(randomBytes(32))

/** Deliveries in a database that no worker sends: each test with an account and a webhook of its own. */
export const useStoredDeliveries = async () => {
  const { sql } = await useDatabase()
  const inTransaction = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
  const create = (by: Caller) =>
    inTransaction(tx =>
      createWebhook(tx, cipher, by, {
        url: 'https://hooks.example/',
        events: ['article.deleted', 'keyword.created'],
      }),
    )
  const createGiven = async () => {
    const caller = await createCaller(sql)
    return { caller, webhookId: (await create(caller)).id }
  }
  const given = await createGiven()
  beforeEach(async () => {
    Object.assign(given, await createGiven())
  })
  return {
    sql,
    cipher,
    given,
    inTransaction,
    create,
    articleDeleted: () =>
      inTransaction(tx =>
        recordEvent(tx, given.caller, 'article.deleted', {
          article_id: 'art_1',
          project_id: 'prj_1',
        }),
      ),
    keywordCreated: () =>
      inTransaction(tx =>
        recordEvent(tx, given.caller, 'keyword.created', {
          keyword_id: 'kw_1',
          project_id: 'prj_1',
          keyword: 'tea',
        }),
      ),
    sendTest: (id = given.webhookId) =>
      inTransaction(tx => createTestDelivery(tx, given.caller, id)),
    list: async (filter: DeliveryFilter = {}, by = given.caller) =>
      (await listDeliveries(sql, by, given.webhookId, filter, ALL)).rows,
  }
}
