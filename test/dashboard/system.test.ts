import { expect, test } from 'bun:test'
import type { SystemState } from '../../src/dashboard/system/routes'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'

/** The server route of the state of the system. */

const arden = await useArden({ serve: true })

const readSystem = async (role: 'owner' | 'member' | 'viewer') =>
  person(arden.url, await sessionToken(arden, role))('GET', '/system')

test('shows an owner the checks of PostgreSQL and the age of the encryption key', async () => {
  const { status, body } = await readSystem('owner')
  expect(status).toBe(200)
  const { checks, encryption_key, checked_at } = body.data as SystemState
  const byName = new Map(checks.map(check => [check.name, check]))
  expect(byName.get('database')?.status).toBe('ok')
  expect(byName.get('encryption key')?.found).toContain(String(encryption_key?.id))
  // No worker runs.
  expect(byName.get('workers')?.status).toBe('fail')
  expect(byName.get('workers')?.todo).toContain('arden worker')
  for (const at of [checked_at, encryption_key?.since])
    expect(Math.abs(Date.now() - Date.parse(String(at)))).toBeLessThan(60_000)
  // Neither a password nor a key.
  const { DATABASE_URL, ARDEN_ENCRYPTION_KEY } = arden.env
  const password = new URL(String(DATABASE_URL)).password
  if (password !== '') expect(JSON.stringify(body)).not.toContain(password)
  expect(JSON.stringify(body)).not.toContain(String(ARDEN_ENCRYPTION_KEY))
})

test('refuses members and viewers, because it names hosts and counts deliveries of all accounts', async () => {
  for (const role of ['member', 'viewer'] as const) {
    const { status, body } = await readSystem(role)
    expect(status).toBe(403)
    expect(body.message).toContain(`${role}@example.com is a ${role}`)
  }
})
