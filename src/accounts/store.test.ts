import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import type { Actor } from '../caller'
import { newId } from '../ids'
import { createAccount, ensureFirstAccount, listAccounts, resolveAccount, setPlan } from './store'

const actor: Actor = { type: 'cli', id: 'ann@host', name: 'ann' }

const { sql } = await useDatabase()

// These tests run in order on one database that is empty at first.

test('an empty database has no account to select', async () => {
  expect(await settled(resolveAccount(sql, undefined))).toThrow('There is no account yet')
})

test('of several processes that start on an empty database, one creates the first account', async () => {
  const created = await Promise.all(
    Array.from({ length: 5 }, () => sql.begin(tx => ensureFirstAccount(tx, actor))),
  )
  expect(created.filter(account => account !== undefined).length).toBe(1)
  expect(await listAccounts(sql)).toMatchObject([{ name: 'Default', monthly_generations: 100 }])
})

test('an account id is required only where there is more than one account', async () => {
  const [first] = await listAccounts(sql)
  expect((await resolveAccount(sql, undefined)).id).toBe(String(first?.id))
  const second = await sql.begin(tx => createAccount(tx, actor, 'Second'))
  expect(await settled(resolveAccount(sql, undefined))).toThrow('Choose one with --account')
  expect(await resolveAccount(sql, second.id)).toEqual(second)
  for (const id of [newId('acc'), newId('key'), 'x'])
    expect(await resolveAccount(sql, id).catch(error => error)).toMatchObject({
      code: 'NOT_FOUND',
    })
})

test('set-plan sets the monthly generations and writes the actor to the audit history', async () => {
  const { id } = await sql.begin(tx => createAccount(tx, actor, 'Third'))
  const changed = await sql.begin(tx => setPlan(tx, actor, id, 5000))
  expect(changed.monthly_generations).toBe(5000)
  expect(await resolveAccount(sql, id)).toEqual(changed)
  const audit = await sql`
    SELECT action, actor_type, actor_id, actor_name, address, changes FROM audit_entries
    WHERE account_id = ${id} ORDER BY id`
  expect([...audit]).toEqual([
    { ...BY_ANN, action: 'account.created', changes: { name: 'Third' } },
    {
      ...BY_ANN,
      action: 'account.plan_changed',
      changes: { monthly_generations: { from: 100, to: 5000 } },
    },
  ])
})

const BY_ANN = { actor_type: 'cli', actor_id: 'ann@host', actor_name: 'ann', address: null }

test('invalid input is rejected with the name of the member', async () => {
  const { id } = await sql.begin(tx => createAccount(tx, actor, 'Fourth'))
  for (const name of ['', '  ', 'x'.repeat(101)])
    expect(await settled(sql.begin(tx => createAccount(tx, actor, name)))).toThrow(
      'name: must have 1 to',
    )
  for (const wrong of [-1, 1.5, Number.NaN, 1e10])
    expect(await settled(sql.begin(tx => setPlan(tx, actor, id, wrong)))).toThrow(
      'monthly_generations: ',
    )
})
