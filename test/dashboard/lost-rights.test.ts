import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import type { Role } from '../../src/people/schema'
import { createSession } from '../../src/people/sessions'
import { ensurePerson, updatePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** Changes of a caller who loses the right to make them while they wait. */

const arden = await useArden({ serve: true })
const owner = person(arden.url, await sessionToken(arden))
const cli = {
  accountId: arden.accountId,
  actor: { type: 'cli' as const, id: 'tests@host', name: 'tests' },
  address: null,
}

/** A signed-in person with a role, and the id. */
const createMallory = async (role: Role = 'owner') => {
  const { id, token } = await arden.sql.begin(async tx => {
    const id = await ensurePerson(tx, arden.accountId, `${newId('usr')}@example.com`, role)
    return {
      id,
      token: await createSession(tx, id, { address: '127.0.0.1', userAgent: null }, 'link'),
    }
  })
  return { id, session: person(arden.url, token) }
}

/** The status of a request that begins while `changes` of the person are not yet committed. */
const statusWhile = async <T extends { status: number }>(
  id: string,
  changes: Parameters<typeof updatePerson>[3],
  send: () => Promise<T>,
): Promise<number> => {
  const { sent } = await arden.sql.begin(async tx => {
    await updatePerson(tx, cli, id, changes)
    const sent = send()
    let isFinished = false
    sent.finally(() => {
      isFinished = true
    })
    await until('the request waits for the lock', async () => {
      const [{ isWaiting }] = await arden.sql<[{ isWaiting: boolean }]>`
        SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted) AS "isWaiting"`
      return isWaiting || isFinished
    })
    return { sent }
  })
  return (await sent).status
}

const find = async (id: string) =>
  (await owner('GET', '/people')).body.data.find((each: { id: string }) => each.id === id)

describe('an owner', () => {
  test('who becomes a member does not undo that', async () => {
    const { id, session } = await createMallory()
    const promote = () => session('PATCH', `/people/${id}`, { role: 'owner' })
    expect(await statusWhile(id, { role: 'member' }, promote)).toBe(403)
    expect((await find(id)).role).toBe('member')
  })

  test('who is disabled does not undo that', async () => {
    const { id, session } = await createMallory()
    const enable = () => session('PATCH', `/people/${id}`, { disabled: false })
    expect(await statusWhile(id, { disabled: true }, enable)).toBe(401)
    expect((await find(id)).status).toBe('disabled')
  })

  test('who becomes a member does not revoke a link', async () => {
    await owner('POST', '/people/invitations', { role: 'viewer' })
    const [link] = (await owner('GET', '/people/links')).body.data
    const { id, session } = await createMallory()
    const revoke = () => session('DELETE', `/people/links/${link.id}`, {})
    expect(await statusWhile(id, { role: 'member' }, revoke)).toBe(403)
    expect((await owner('GET', '/people/links')).body.data).toEqual([link])
  })

  test('is demoted while that owner sends changes all the time', async () => {
    const { id, session } = await createMallory()
    let isDemoted = false
    const flood = async () => {
      while (!isDemoted) await session('PATCH', `/people/${id}`, { role: 'owner' })
    }
    const floods = Array.from({ length: 20 }, flood)
    const { status } = await owner('PATCH', `/people/${id}`, { role: 'viewer' })
    isDemoted = true
    await Promise.all(floods)
    expect([status, (await find(id)).role]).toEqual([200, 'viewer'])
  })
})

test('a member who is disabled creates no API key', async () => {
  const { id, session } = await createMallory('member')
  const create = () => session('POST', '/v1/api-keys', { name: 'left behind', scopes: ['write'] })
  expect(await statusWhile(id, { disabled: true }, create)).toBe(401)
  expect(await arden.sql`SELECT FROM api_keys WHERE name = 'left behind'`).toHaveLength(0)
})

for (const [end, change, message] of [
  ['revoked', { revoked_at: new Date() }, 'This API key was revoked. Create a new key.'],
  [
    'replaced',
    { hash: Buffer.alloc(32) },
    'This API key is unknown. Check that it was copied completely and has not been regenerated.',
  ],
] as const)
  test(`a key that is ${end} while its change waits for its turn does not make it`, async () => {
    const api = await arden.client()
    const { data: project } = (await api.post('/projects', { name: 'locked' })).body
    const { data: key } = (await api.post('/api-keys', { name: 'leaked', scopes: ['write'] })).body
    const leaked = await client(arden.url, key.key)
    const { changed, created } = await arden.sql.begin(async tx => {
      await tx`SELECT FROM projects WHERE id = ${project.id} FOR UPDATE`
      const changed = Array.from({ length: 3 }, () =>
        api.patch(`/projects/${project.id}`, { name: 'renamed' }),
      )
      await until('every turn of the account is taken', async () => {
        const [{ waiting }] = await arden.sql<[{ waiting: number }]>`
          SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return waiting === 3
      })
      const created = leaked.post('/api-keys', { name: 'left behind', scopes: ['write'] })
      await until('the key is admitted', async () => {
        const [{ admitted }] = await arden.sql<[{ admitted: boolean }]>`
          SELECT EXISTS (SELECT FROM api_key_hits WHERE key_id = ${key.id}) AS admitted`
        return admitted
      })
      await arden.sql`UPDATE api_keys SET ${arden.sql(change)} WHERE id = ${key.id}`
      return { changed, created }
    })
    await Promise.all(changed)
    const { status, body } = await created
    expect([status, body.message]).toEqual([401, message])
  })

/** A body of JSON whose last byte is sent after `meanwhile`. */
const slowBody = (body: unknown, meanwhile: () => Promise<unknown>) => {
  const text = JSON.stringify(body)
  return new ReadableStream({
    async start(stream) {
      stream.enqueue(Buffer.from(text.slice(0, -1)))
      await meanwhile()
      stream.enqueue(Buffer.from(text.slice(-1)))
      stream.close()
    },
  })
}

test('a key that is revoked while the body of an article arrives does not create it', async () => {
  const api = await arden.client()
  const { data: project } = (await api.post('/projects', { name: 'Blog' })).body
  const { id, key } = await arden.key()
  for (const more of [{}, { 'idempotency-key': crypto.randomUUID() }]) {
    await arden.sql`UPDATE api_keys SET revoked_at = NULL WHERE id = ${id}`
    await arden.sql`DELETE FROM api_key_hits WHERE key_id = ${id}`
    const admitted = () => arden.sql`SELECT FROM api_key_hits WHERE key_id = ${id}`
    const response = await fetch(`${arden.url}/api/public/v1/articles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      body: slowBody({ project_id: project.id, title: 'left behind' }, async () => {
        await until('the key is admitted', async () => (await admitted()).length > 0)
        await arden.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${id}`
      }),
    })
    expect(response.status).toBe(401)
  }
  expect(await arden.sql`SELECT FROM articles WHERE title = 'left behind'`).toHaveLength(0)
})

test('a member who is disabled creates no article with the API key of another beside the session', async () => {
  const { id, session } = await createMallory('member')
  const { data: project } = (await session('POST', '/v1/projects', { name: 'Blog' })).body
  const { key } = await arden.key({ scopes: ['read'] })
  const create = () =>
    session(
      'POST',
      '/v1/articles',
      { project_id: project.id, title: 'left behind' },
      { authorization: `Bearer ${key}` },
    )
  expect(await statusWhile(id, { disabled: true }, create)).toBe(401)
  expect(await arden.sql`SELECT FROM articles WHERE title = 'left behind'`).toHaveLength(0)
})
