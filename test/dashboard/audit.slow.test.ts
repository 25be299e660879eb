import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkOffences, look, shot, useDashboard } from '../support/dashboard/dashboard'
import { person, sessionToken } from '../support/http/person'

/** The page of the audit history. */

const dashboard = await useDashboard()

beforeAll(async () => {
  const owner = person(dashboard.url, await sessionToken(dashboard))
  const key = await owner('POST', '/v1/api-keys', {
    name: 'Importer',
    scopes: ['read'],
    mode: 'live',
  })
  await owner('PATCH', `/v1/api-keys/${key.body.data.id}`, { rate_limit: 500 })
  await owner('DELETE', `/v1/api-keys/${key.body.data.id}`)
  await owner('POST', '/v1/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['article.published', 'article.deleted'],
  })
  await owner('POST', '/people/invitations', { email: 'bob@example.com', role: 'member' })
  await owner('POST', '/me/password', { current: '', password: 'correct horse battery' })
  const { key: value } = await dashboard.key()
  const program = await fetch(`${dashboard.url}/api/public/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Made by a program', scopes: ['read'] }),
  })
  expect(program.status).toBe(201)
})

const LONG_AGO = '2020-01-01'
const byProgram = (page: Page) => page.getByRole('button', { name: 'Made by a program' })

describe('the audit history', () => {
  test('shows who changed what, from where and when, revoked keys included', async () => {
    const page = await dashboard.open('/live/audit')
    const table = page.getByRole('table', { name: 'Audit history' })
    const revoked = table.getByRole('row', { name: /Revoked the API key Importer/ })
    await revoked.waitFor()
    expect(await revoked.textContent()).toContain('owner@example.com')
    expect(await revoked.textContent()).toContain('127.0.0.1')
    await table.getByText('Updated the API key').waitFor()
    expect(await table.textContent()).toContain('rate limit: 1000 → 500')
    await table.getByText(/Set the password of\s*owner@example.com/).waitFor()
    await look(page, 'audit')
  })

  test('filters by the address, and by a click on the subject of an entry', async () => {
    const page = await dashboard.open('/live/audit?area=webhook')
    const rows = page.getByRole('table', { name: 'Audit history' }).getByRole('row')
    await page.getByText('Created the webhook').waitFor()
    expect(await rows.count()).toBe(1 + 1)
    await page.getByLabel('Action').selectOption('api_key')
    await byProgram(page).waitFor()
    await page.getByLabel('Actor').selectOption('key')
    await page.getByRole('button', { name: 'Importer' }).first().waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(1 + 1)
    expect(page.url()).toEndWith('?area=api_key&by=key')
    await page.getByLabel('Actor').selectOption('')
    await page.getByRole('button', { name: 'Importer' }).first().click()
    await page.waitForURL('**/audit?area=api_key&text=key_*')
    await byProgram(page).waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(1 + 3)

    await page.getByLabel('Name, ID or IP address').fill('nobody-of-that-name')
    await page.getByText('No matching entries', { exact: true }).waitFor()
    await shot(page, 'audit-none')
    await page.getByLabel('Name, ID or IP address').fill('')
    await page.getByLabel('To', { exact: true }).fill(LONG_AGO)
    await page.getByText('No matching entries', { exact: true }).waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await page.getByLabel('From').fill(LONG_AGO)
    await byProgram(page).waitFor()
    checkOffences(page)
  })

  test('downloads the filtered entries as CSV, for a viewer too, and shows a failed download', async () => {
    const page = await dashboard.open('/live/audit?text=Importer', { role: 'viewer' })
    await page.getByText('Revoked the API key').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('audit-history.csv')
    const text = await Bun.file(await download.path()).text()
    expect(text.trimEnd().split('\r\n').length).toBe(1 + 3)
    expect(text).toContain('api_key.revoked')

    await page.route('**/audit.csv*', route => route.abort())
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await page.getByText('The server did not respond.').first().waitFor()
    checkOffences(page)
  })

  test('shows new entries automatically, and older ones with a button', async () => {
    const { sql, accountId } = dashboard
    await sql`
      INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name)
      SELECT ${accountId}, 'account.plan_changed', ${accountId}, 'cli', 'x', 'ops@host'
      FROM generate_series(1, 60)`
    const page = await dashboard.open('/live/audit')
    const table = page.getByRole('table', { name: 'Audit history' })
    await table.waitFor()
    expect(await page.getByText('Importer').count()).toBe(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('Importer').first().waitFor()
    const client = await dashboard.client()
    await client.post('/api-keys', { name: 'Just now', scopes: ['read'] })
    await page.getByRole('button', { name: 'Just now' }).waitFor()
  })
})
