import { describe, expect, test } from 'bun:test'
import { failed, useOperator } from '../../../test/support/operations/operator'
import { cliActor } from '../../accounts/cli-actor'
import { newId } from '../../ids'
import { createAdmit } from '../../keys/admit'
import { createKey } from '../../keys/store'

const { sql, databaseUrl, arden } = await useOperator()

// The tests run in this order on one database, as an operator starts with an empty one.

describe('arden accounts', () => {
  test('create, list and set-plan', async () => {
    expect(await arden(['keys', 'create', '--name', 'early'])).toEqual(
      failed(/^arden: There is no account yet\. Create one: .*\n$/),
    )
    const created = await arden(['accounts', 'create', '--name', 'Acme', '--json'])
    const account = JSON.parse(created.out)
    expect(account).toMatchObject({ name: 'Acme', monthly_generations: 100 })
    const changed = await arden(['accounts', 'set-plan', account.id, '--monthly-generations', '7'])
    expect(changed).toMatchObject({ code: 0, error: '' })
    expect(changed.out).toContain('has 7 live generations a month')
    const listed = await arden(['accounts', 'list'])
    expect(listed.out).toMatch(new RegExp(`^ID .*\\n${account.id}  Acme  7 .*\\n$`))
    expect(await arden(['accounts', 'set-plan', account.id, '--monthly-generations', ''])).toEqual(
      failed(/must be a whole number from 0 to \d+/, 2),
    )
  })

  test('require-sign-in refuses single sign-on without a provider: no user could sign in', async () => {
    const [account] = JSON.parse((await arden(['accounts', 'list', '--json'])).out)
    const require = (env?: Record<string, string>) =>
      arden(['accounts', 'require-sign-in', account.id, 'oidc'], env)
    expect(await require()).toEqual(
      failed(/^arden: This Arden has no OpenID Connect provider\. .*ARDEN_OIDC_ISSUER.*\n$/),
    )
    const provider = {
      DATABASE_URL: databaseUrl,
      ARDEN_PUBLIC_URL: 'https://arden.example.com',
      ARDEN_OIDC_ISSUER: 'https://accounts.example.com',
      ARDEN_OIDC_CLIENT_ID: 'arden',
      ARDEN_OIDC_CLIENT_SECRET: 'secret',
    }
    expect(await require(provider)).toMatchObject({ code: 0, error: '' })
  })
})

test('arden users disable names an address that no user has', async () => {
  expect(await arden(['users', 'disable', 'Unknown@example.com'])).toEqual(
    failed(/^arden: No user has the email address unknown@example\.com\. .*users list.*\n$/, 4),
  )
})

describe('arden keys', () => {
  test('create --json prints the record with its value as one JSON object and nothing else', async () => {
    const args = ['--name', 'CI', '--mode', 'live', '--scopes', 'read', '--rate-limit', '50']
    const { out, error, code } = await arden(['keys', 'create', ...args, '--json'])
    expect({ error, code, lines: out.split('\n').length }).toEqual({ error: '', code: 0, lines: 2 })
    const key = JSON.parse(out)
    expect(key).toMatchObject({
      name: 'CI',
      mode: 'live',
      scopes: ['read'],
      rate_limit: 50,
      status: 'active',
    })
    expect(await createAdmit(sql)(key.key)).toMatchObject({
      outcome: 'accepted',
      caller: { actor: { id: key.id }, scopes: ['read'] },
      allowance: { limit: 50, left: 49 },
    })
    const [entry] = await sql`
      SELECT actor_type, actor_id, address FROM audit_entries WHERE subject_id = ${key.id}`
    expect(entry).toEqual({
      actor_type: 'cli',
      actor_id: cliActor().id,
      address: null,
    })
  })

  test('create makes a test key with both scopes by default, and shows its value once', async () => {
    const { out, code } = await arden(['keys', 'create', '--name', 'mine'])
    expect(code).toBe(0)
    expect(out).toMatch(/^key +ar_test_[0-9A-Za-z]{38}$/m)
    expect(out).toMatch(/^scopes +read, write$/m)
    expect(out).toContain('shown only now')
    const value = /ar_test_\w+/.exec(out)?.[0] ?? ''
    const listed = await arden(['keys', 'list', '--json'])
    expect(listed.out).not.toContain(value)
    expect(JSON.parse(listed.out).map(({ name }: { name: string }) => name)).toEqual(['mine', 'CI'])
  })

  test('a repeated --scopes adds a scope, and replaces the default', async () => {
    const create = async (...scopes: string[]) => {
      const args = ['keys', 'create', '--name', 'Several', '--json']
      const { out } = await arden([...args, ...scopes.flatMap(one => ['--scopes', one])])
      return JSON.parse(out).scopes.sort()
    }
    expect(await create('write', 'read', 'read')).toEqual(['read', 'write'])
    expect(await create('write')).toEqual(['write'])
  })

  test('a revoked key is refused from then on, and revoking it again is an error of one line', async () => {
    const key = JSON.parse((await arden(['keys', 'create', '--name', 'gone', '--json'])).out)
    expect((await arden(['keys', 'revoke', key.id])).out).toStartWith(`Revoked ${key.id} (gone).`)
    expect(await createAdmit(sql)(key.key)).toEqual({ outcome: 'revoked' })
    expect(await arden(['keys', 'revoke', key.id])).toEqual(
      failed(new RegExp(`^arden: The key ${key.id} was revoked at .*\\n$`)),
    )
    expect((await arden(['keys', 'list', '--status', 'revoked'])).out).toContain(key.id)
  })
})

test.each([
  [['keys', 'revoke', 'foo'], 'key'],
  [['keys', 'revoke', 'prj_01kafz3v5tf4qrm8z3x9d2c7ne'], 'key'],
  [['keys', 'list', '--account', 'foo'], 'acc'],
  [['users', 'revoke-link', 'foo'], 'lnk'],
  [['accounts', 'set-plan', 'foo', '--monthly-generations', '7'], 'acc'],
  [['accounts', 'require-sign-in', '', 'any'], 'acc'],
])('arden %p is wrong usage: its id has another form', async (args, prefix) => {
  expect(await arden(args)).toEqual(failed(`must be an id such as ${prefix}_`, 2))
})

test('arden keys revoke refuses an id that no key has', async () => {
  expect(await arden(['keys', 'revoke', 'key_01kafz3v5tf4qrm8z3x9d2c7ne'])).toEqual(
    failed(/^arden: No API key .*\n$/),
  )
})

test('arden users disable names the active keys that the user can know', async () => {
  const [account] = JSON.parse((await arden(['accounts', 'list', '--json'])).out)
  const by = (id: string): Parameters<typeof createKey>[1] => ({
    accountId: account.id,
    actor: { type: 'user', id, name: `${id}@example.com` },
    address: null,
  })
  const [leaving, staying] = [newId('usr'), newId('usr')]
  for (const id of [leaving, staying])
    await sql`
      INSERT INTO people (id, account_id, email, role)
      VALUES (${id}, ${account.id}, ${`${id}@example.com`}, 'member')`
  const newKey = (person: string, name: string) =>
    sql.begin(tx => createKey(tx, by(person), { name, scopes: ['read'], mode: 'live' }))
  const [mine, revoked, others] = [
    await newKey(leaving, 'laptop'),
    await newKey(leaving, 'old'),
    await newKey(staying, 'theirs'),
  ]
  const child = await sql.begin(tx =>
    createKey(
      tx,
      { ...by(leaving), actor: { type: 'key', id: mine.id, name: 'laptop' } },
      { name: 'child', scopes: ['read'], mode: 'test' },
    ),
  )
  await arden(['keys', 'revoke', revoked.id])
  const { out, code } = await arden(['users', 'disable', `${leaving}@example.com`])
  expect(code).toBe(0)
  expect(out).toContain('API keys that they created')
  expect(out).toContain(child.id)
  expect(out).toContain(`arden keys revoke ${mine.id}  live  laptop`)
  for (const { id } of [revoked, others]) expect(out).not.toContain(id)
  expect((await arden(['users', 'enable', `${leaving}@example.com`])).out).not.toContain('API keys')
})
