import { randomBytes } from 'node:crypto'
import { createAccount, ensureFirstAccount } from '../../../src/accounts/store'
import type { Caller } from '../../../src/caller'
import type { Sql } from '../../../src/db/connect'
import { newId } from '../../../src/ids'
import { createWebhook } from '../../../src/webhooks/endpoints/store'
import { recordEvent } from '../../../src/webhooks/events/record'
import { type Cipher, createCipher } from '../../../src/webhooks/signing/encryption'

/** An account with a webhook, and events for it: what the sending side works on. */
export type Sample = {
  cipher: Cipher
  webhookId: string
  secret: string
  /** Records `count` events in one transaction, and returns the ids of their deliveries. */
  deliveries: (count: number) => Promise<string[]>
  delivery: () => Promise<string>
}

const ACTOR = { type: 'cli', id: 'tests', name: 'tests' } as const

/** A sample of the first account, which it creates in an empty database. */
export const createSample = async (sql: Sql, url: string): Promise<Sample> => {
  const account =
    (await sql.begin(tx => ensureFirstAccount(tx, ACTOR))) ??
    (await sql<[{ id: string }]>`SELECT id FROM accounts LIMIT 1`)[0]
  return sampleOf(sql, account, createCipher(randomBytes(32)), url)
}

/** A sample of an account of its own. With the `cipher` of another sample, the same worker sends for both. */
export const createOtherSample = async (sql: Sql, cipher: Cipher, url: string): Promise<Sample> =>
  sampleOf(sql, await sql.begin(tx => createAccount(tx, ACTOR, 'Other')), cipher, url)

const sampleOf = async (
  sql: Sql,
  account: { id: string },
  cipher: Cipher,
  url: string,
): Promise<Sample> => {
  const caller: Caller = {
    accountId: account.id,
    mode: 'live',
    actor: { type: 'key', id: newId('key'), name: 'tests' },
    scopes: ['read', 'write'],
    address: '127.0.0.1',
  }
  const webhook = await sql.begin(tx =>
    createWebhook(tx, cipher, caller, { url, events: ['article.published'] }),
  )
  const deliveries = async (count: number) => {
    const before = await ids(sql, webhook.id)
    await sql.begin(async tx => {
      for (let n = 0; n < count; n++)
        await recordEvent(tx, caller, 'article.published', {
          article_id: newId('art'),
          project_id: newId('prj'),
          keyword_id: null,
          title: `Article ${n}`,
          status: 'PUBLISHED',
        })
    })
    return (await ids(sql, webhook.id)).filter(id => !before.includes(id))
  }
  return {
    cipher,
    webhookId: webhook.id,
    secret: webhook.secret,
    deliveries,
    delivery: async () => (await deliveries(1))[0] ?? '',
  }
}

const ids = async (sql: Sql, webhookId: string) =>
  (
    await sql<{ id: string }[]>`
      SELECT id FROM deliveries WHERE webhook_id = ${webhookId} ORDER BY id`
  ).map(row => row.id)
