import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import { createAccount } from '../accounts/store'
import type { Caller, Mode } from '../caller'
import { newId } from '../ids'
import type { NewApiKey } from './schema'
import { createKey, getKey, listKeys, regenerateKey, revokeKey, updateKey } from './store'
import { hashValue, modeOfValue } from './value'
import { type KeyAccess, keyAccessOf } from './visibility'

const accessOf = (accountId: string, mode: Mode) => {
  const caller: Caller = {
    accountId,
    mode,
    actor: { type: 'key', id: 'key_caller', name: 'Caller' },
    scopes: ['write'],
    address: '192.0.2.1',
  }
  return keyAccessOf(caller)
}

const newAccount = () =>
  sql.begin(tx => createAccount(tx, { type: 'cli', id: 'tests', name: 'tests' }, 'Test'))

const { sql } = await useDatabase()
const { id } = await newAccount()
const live = accessOf(id, 'live')
const testMode = accessOf(id, 'test')
const otherAccount = accessOf((await newAccount()).id, 'live')

const create = (input: Partial<NewApiKey & { mode: Mode }> = {}) =>
  sql.begin(tx =>
    createKey(tx, live, { name: 'k', scopes: ['read', 'write'], mode: 'live', ...input }),
  )
const update = (id: string, changes: { name?: string; rate_limit?: number }, access = live) =>
  sql.begin(tx => updateKey(tx, access, id, changes))
const regenerate = (id: string, access = live) => sql.begin(tx => regenerateKey(tx, access, id))
const revoke = (id: string, access = live) => sql.begin(tx => revokeKey(tx, access, id))
const expire = (id: string) =>
  sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${id}`
const auditOf = (id: string) => sql`
  SELECT action, actor_type, actor_id, actor_name, address, changes FROM audit_entries
  WHERE subject_id = ${id} ORDER BY id`

const list = async (access: KeyAccess, status: Parameters<typeof listKeys>[2], limit = 100) =>
  (await listKeys(sql, access, status, { limit, before: null })).rows.map(({ id }) => id)

describe('an API key record', () => {
  test('has the members of contract 3.5 with their defaults', async () => {
    const { key, ...record } = await create({ name: 'CI', scopes: ['read'], mode: 'test' })
    expect(record).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'CI',
      scopes: ['read'],
      prefix: key.slice(0, 12),
      mode: 'test',
      test_mode: true,
      rate_limit: 1000,
      status: 'active',
      expires_at: null,
      last_used_at: null,
      updated_at: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      revoked_at: null,
    })
    expect(modeOfValue(key)).toBe('test')
    expect(await getKey(sql, live, record.id)).toEqual(record)
  })

  test('stores only the SHA-256 and the first 12 characters of the value', async () => {
    const { id, key } = await create()
    const [row] = await sql`SELECT hash, api_keys::text AS text FROM api_keys WHERE id = ${id}`
    expect(row?.hash).toEqual(hashValue(key))
    const audit = JSON.stringify(await auditOf(id))
    for (let i = 0; i + 13 <= key.length; i++) {
      expect(row?.text).not.toContain(key.slice(i, i + 13))
      expect(audit).not.toContain(key.slice(i, i + 13))
    }
  })

  test('is expired from its expiry on', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const { id } = await create({ expires_at: soon })
    expect(await getKey(sql, live, id)).toMatchObject({ status: 'active', expires_at: soon })
    await expire(id)
    expect((await getKey(sql, live, id)).status).toBe('expired')
  })
})

describe('changing a key', () => {
  test('PATCH changes name and rate_limit, and writes the differences to the audit history', async () => {
    const { id } = await create({ name: 'old' })
    expect(await update(id, { name: 'new', rate_limit: 7 })).toMatchObject({
      name: 'new',
      rate_limit: 7,
    })
    await update(id, { name: 'new' })
    expect(await getKey(sql, live, id)).toMatchObject({ name: 'new', rate_limit: 7 })
    expect((await auditOf(id)).map(({ action, changes }) => [action, changes])).toEqual([
      [
        'api_key.created',
        {
          name: 'old',
          scopes: ['read', 'write'],
          mode: 'live',
          rate_limit: 1000,
          expires_at: null,
        },
      ],
      ['api_key.updated', { name: { from: 'old', to: 'new' }, rate_limit: { from: 1000, to: 7 } }],
    ])
  })

  test('regenerate keeps the id and the mode, and replaces the value', async () => {
    const { id, key, prefix } = await create({ mode: 'test' })
    const fresh = await regenerate(id)
    expect(fresh.id).toBe(id)
    expect(fresh.key).not.toBe(key)
    expect(fresh.prefix).toBe(fresh.key.slice(0, 12))
    expect(modeOfValue(fresh.key)).toBe('test')
    const [row] = await sql`SELECT hash FROM api_keys WHERE id = ${id}`
    expect(row?.hash).toEqual(hashValue(fresh.key))
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: 'api_key.regenerated',
      changes: { prefix: { from: prefix, to: fresh.prefix } },
    })
  })

  test('DELETE revokes permanently: the record remains, and every later change is a conflict', async () => {
    const { id } = await create()
    const revoked = await revoke(id)
    expect(revoked).toMatchObject({ id, status: 'revoked', revoked_at: expect.any(String) })
    expect(await getKey(sql, live, id)).toEqual(revoked)
    for (const again of [revoke, regenerate, (id: string) => update(id, { name: 'x' })])
      expect(await again(id).catch(error => error)).toMatchObject({ code: 'CONFLICT' })
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.revoked',
    ])
  })

  test('of concurrent revocations one succeeds', async () => {
    const { id } = await create()
    const results = await Promise.allSettled([revoke(id), revoke(id), revoke(id)])
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  })

  test('an expired key can be changed and revoked, but not regenerated', async () => {
    const { id } = await create()
    await expire(id)
    expect(await regenerate(id).catch(error => error)).toMatchObject({
      code: 'CONFLICT',
    })
    expect((await update(id, { name: 'x' })).status).toBe('expired')
    expect((await revoke(id)).status).toBe('revoked')
  })

  test('the audit entry has the calling key and its address, and commits with the change or not at all', async () => {
    const { id } = await create()
    expect((await auditOf(id))[0]).toMatchObject({
      actor_type: 'key',
      actor_id: 'key_caller',
      actor_name: 'Caller',
      address: '192.0.2.1',
    })
    const failing = sql.begin(async tx => {
      await revokeKey(tx, live, id)
      throw new Error('later in the same transaction')
    })
    expect(await settled(failing)).toThrow('later')
    expect((await getKey(sql, live, id)).status).toBe('active')
    expect((await auditOf(id)).length).toBe(1)
  })
})

describe('visibility', () => {
  test('a test key sees and changes only test keys, a live key those of both modes', async () => {
    const liveKey = await create({ mode: 'live' })
    const testKey = await create({ mode: 'test' })
    const notFound = { code: 'NOT_FOUND' }
    expect(await getKey(sql, testMode, liveKey.id).catch(error => error)).toMatchObject(notFound)
    expect(await update(liveKey.id, { name: 'x' }, testMode).catch(error => error)).toMatchObject(
      notFound,
    )
    expect(await regenerate(liveKey.id, testMode).catch(error => error)).toMatchObject(notFound)
    expect(await revoke(liveKey.id, testMode).catch(error => error)).toMatchObject(notFound)
    expect((await update(testKey.id, { name: 'x' }, testMode)).name).toBe('x')
    expect((await update(testKey.id, { name: 'y' }, live)).name).toBe('y')
    expect(await list(testMode, 'all')).not.toContain(liveKey.id)
    expect(await list(live, 'all')).toEqual(expect.arrayContaining([liveKey.id, testKey.id]))
  })

  test('a key of another account and a malformed id are not found', async () => {
    const { id } = await create()
    for (const other of [id, newId('key'), newId('wh'), 'current', '\0', ''])
      expect(await getKey(sql, otherAccount, other).catch(error => error)).toMatchObject({
        code: 'NOT_FOUND',
      })
    expect(await list(otherAccount, 'all')).toEqual([])
  })
})

describe('listing keys', () => {
  test('returns active keys, newest first, unless another status is requested', async () => {
    const access = accessOf((await newAccount()).id, 'live')
    const input: NewApiKey & { mode: Mode } = { name: 'k', scopes: ['read'], mode: 'live' }
    const ids: string[] = []
    for (let i = 0; i < 4; i++)
      ids.unshift((await sql.begin(tx => createKey(tx, access, input))).id)
    const [newest = '', expired = '', revoked = '', oldest = ''] = ids
    await expire(expired)
    await revoke(revoked, access)
    expect(await list(access, 'active')).toEqual([newest, oldest])
    expect(await list(access, 'expired')).toEqual([expired])
    expect(await list(access, 'revoked')).toEqual([revoked])
    expect(await list(access, 'all')).toEqual(ids)

    const first = await listKeys(sql, access, 'all', { limit: 3, before: null })
    await sql.begin(tx => createKey(tx, access, input))
    const rest = await listKeys(sql, access, 'all', { limit: 3, before: first.next })
    expect([...first.rows, ...rest.rows].map(({ id }) => id)).toEqual(ids)
    expect(rest.next).toBeNull()
  })
})
