import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import type { ApiResponse, Client } from '../support/client'
import { runArden } from '../support/process'

const MAX = 5

const max = String(MAX)
const arden = await useArden({ serve: true }, { ARDEN_MAX_KEYS: max, ARDEN_MAX_WEBHOOKS: max })
const live = await arden.client()
const tester = await arden.client({ mode: 'test' })

const newWebhook = (as: Client) =>
  as.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.created'] })
const newKey = (as: Client, more = {}) =>
  as.post('/api-keys', { name: 'k', scopes: ['read'], ...more })

const twenty = (make: () => Promise<ApiResponse>) =>
  Promise.all(Array.from({ length: 20 }, async () => (await make()).status))
const made = (statuses: number[]) => statuses.filter(status => status === 201).length

describe('an account has at most so many webhooks', () => {
  test('exactly, also when they are made at the same time; each mode by itself', async () => {
    for (const as of [live, tester]) {
      const statuses = await twenty(() => newWebhook(as))
      expect([made(statuses), new Set(statuses)]).toEqual([MAX, new Set([201, 409])])
    }
  })

  test('the response names the limit and what to do, and that works', async () => {
    const refused = await newWebhook(live)
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        error: 'CONFLICT',
        message:
          'The account has 5 live webhooks; the limit is 5. Delete one that is not needed, or ask the operator to raise ARDEN_MAX_WEBHOOKS.',
      },
    ])
    const [first, second] = (await live.get('/webhooks')).body.data
    await live.patch(`/webhooks/${first.id}`, { enabled: false })
    expect((await newWebhook(live)).status).toBe(409)
    await live.delete(`/webhooks/${second.id}`)
    expect((await newWebhook(live)).status).toBe(201)
  })
})

describe('an account has at most so many active keys', () => {
  test('exactly, also when they are made at the same time; each mode by itself', async () => {
    // The calling key is one of them.
    for (const [as, more] of [
      [live, {}],
      [live, { mode: 'test' }],
    ] as const)
      expect(made(await twenty(() => newKey(as, more)))).toBe(MAX - 1)
    expect((await newKey(tester)).status).toBe(409)
  })

  test('revoked and expired ones do not count, and regenerating needs no room', async () => {
    const refused = await newKey(live)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The account has 5 active live keys; the limit is 5. Revoke one that is not needed, or ask the operator to raise ARDEN_MAX_KEYS.',
    ])
    const others = (await live.get('/api-keys?mode=live')).body.data.filter(
      (key: { name: string }) => key.name === 'k',
    )
    expect((await live.post(`/api-keys/${others[0].id}/regenerate`)).status).toBe(200)
    await live.delete(`/api-keys/${others[0].id}`)
    await arden.sql`UPDATE api_keys SET expires_at = now() WHERE id = ${others[1].id}`
    expect(made(await twenty(() => newKey(live)))).toBe(2)
  })

  test('the command line keeps to it too', async () => {
    const { code, stderr } = await runArden(['keys', 'create', '--name', 'k'], arden.env)
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('The account has 5 active test keys; the limit is 5.'),
    ])
  })
})
