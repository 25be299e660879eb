import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { type ApiResponse, client } from '../support/client'

/** Contract 6.12: what replays of keys and webhooks leave out, and do not check again. */

const arden = await useArden({ serve: true })
const live = await arden.client()

let number = 0
const once = () => ({ 'idempotency-key': `test-${++number}` })
const isReplayed = (response: ApiResponse) => response.headers.get('idempotent-replayed') === 'true'

describe('secrets are in the first response only', () => {
  const twice = async (path: string, body: unknown, ...members: string[]) => {
    const header = once()
    const first = await live.post(path, body, header)
    const again = await live.post(path, body, header)
    const rest = { ...first.body.data }
    const secrets = members.map(member => rest[member])
    for (const member of members) delete rest[member]
    expect([again.status, isReplayed(again), again.body]).toEqual([
      first.status,
      true,
      { data: rest },
    ])
    const [row] = await arden.sql`
      SELECT data FROM idempotent_requests WHERE idempotency_key = ${header['idempotency-key']}`
    for (const secret of secrets) {
      expect(secret).toBeString()
      expect(row?.data).not.toContain(secret)
    }
    return first.body.data
  }

  test('POST /api-keys and regenerate: the replay has no key, and changes no key', async () => {
    const { id } = await twice('/api-keys', { name: 'k', scopes: ['read'] }, 'key')
    const { key } = await twice(`/api-keys/${id}/regenerate`, {}, 'key')
    expect((await client(arden.url, key).get('/api-keys/current')).body.data.id).toBe(id)
  })

  test('POST /webhooks and rotate-secret: the replay has no secret, and rotates nothing', async () => {
    const hook = { url: 'http://127.0.0.1:9/', events: ['article.created'] }
    const { id } = await twice('/webhooks', hook, 'secret', 'standard_webhooks_secret')
    await twice(
      `/webhooks/${id}/rotate-secret`,
      { overlap_seconds: 60 },
      'secret',
      'standard_webhooks_secret',
    )
    const audit = await arden.sql`
      SELECT action FROM audit_entries WHERE subject_id = ${id} ORDER BY id`
    expect(audit.map(row => row.action)).toEqual(['webhook.created', 'webhook.secret_rotated'])
  })
})

test('a replay does not check the address of a webhook again: the name may be gone by then', async () => {
  const header = once()
  const hook = { url: 'https://gone.invalid/', events: ['article.created'] }
  expect((await live.post('/webhooks', hook, header)).status).toBe(422)
  const reachable = { ...hook, url: 'http://127.0.0.1:9/' }
  const { body } = await live.post('/webhooks', reachable, header)
  // The same response, now under the fingerprint of the request whose name does not resolve.
  const [{ fingerprint }] = await arden.sql<[{ fingerprint: Buffer }]>`
    SELECT sha256(convert_to(${`POST live /api/public/v1/webhooks\n${JSON.stringify({ events: hook.events, url: hook.url })}`}, 'UTF8'))
      AS fingerprint`
  await arden.sql`
    UPDATE idempotent_requests SET fingerprint = ${fingerprint}
    WHERE idempotency_key = ${header['idempotency-key']}`
  const replayed = await live.post('/webhooks', hook, header)
  expect([replayed.status, replayed.body.data.id]).toEqual([201, body.data.id])
})
