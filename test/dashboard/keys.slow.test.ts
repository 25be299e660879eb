import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { send } from '../support/client'
import { readSample, runSample } from '../support/dashboard/code-samples'
import { checkOffences, look, shot, useDashboard } from '../support/dashboard/dashboard'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** The page of API keys. */
const dashboard = await useDashboard()

const callWith = async (key: string) =>
  (
    await send(`${dashboard.url}/api/public/v1/projects`, {
      headers: { authorization: `Bearer ${key}` },
    })
  ).status

/** Opens the dialog for a new key, and names it. */
const beginKey = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  await page.getByLabel('Name').fill(name)
}

describe('API keys', () => {
  test('creates a key, shows its value once, and copies it', async () => {
    const page = await dashboard.open('/live/keys')
    await page.getByText('No live API keys yet').waitFor()
    await look(page, 'keys-empty')
    await beginKey(page, 'Production')
    await look(page, 'keys-create')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const value = page.getByLabel('API key', { exact: true })
    await value.waitFor()
    await shot(page, 'keys-secret')
    await page.keyboard.press('Escape')
    await page.getByText('Copy this value before you close.').waitFor()
    await page.getByRole('button', { name: 'Keep open' }).click()
    const key = (await value.textContent()) ?? ''
    expect(key).toMatch(/^ar_live_\w{38}$/)
    await page.getByRole('button', { name: 'Copy the API key' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    expect(await callWith(key)).toBe(200)

    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await page.reload()
    await page.getByRole('cell', { name: /^Production/ }).waitFor()
    expect(await page.content()).not.toContain(key)
    // The use of its limit, by itself.
    await callWith(key)
    await page.getByText('2 of 1,000').waitFor()
    await look(page, 'keys')
  })

  test('a key expires at the end of the day that was chosen', async () => {
    const page = await dashboard.open('/live/keys')
    await beginKey(page, 'Until today')
    await page.getByLabel('Expires').fill('20266-12-31')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/^Must be /).waitFor()
    const today = (await page.evaluate('new Date().toLocaleDateString("sv")')) as string
    await page.getByLabel('Expires').fill(today)
    const created = page.waitForResponse(response => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const { data } = await (await created).json()
    const end = await page.evaluate('new Date(new Date().setHours(24, 0, 0, 0)).toISOString()')
    expect(data.expires_at).toBe(end)
  })

  test('shows code that calls the API with the new key', async () => {
    const page = await dashboard.open('/live/keys')
    await beginKey(page, 'Samples')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    await look(page, 'keys-code')
    const made = await send(`${dashboard.url}/api/public/v1/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Blog' }),
    })
    const { id } = made.body.data
    for (const language of ['curl', 'TypeScript', 'Python'] as const) {
      const code = await readSample(page, language)
      expect(await runSample(language, code, { ARDEN_API_KEY: key })).toContain(id)
      await page.getByRole('button', { name: `Copy the ${language} code` }).click()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code)
    }
  })

  test('describes what regenerating does, then rejects the old value and accepts the new one', async () => {
    const { key } = await dashboard.key()
    const page = await dashboard.open('/live/keys')
    await page.getByRole('button', { name: 'Actions for test' }).click()
    await page.getByRole('menuitem', { name: 'Regenerate' }).click()
    const dialog = page.getByRole('alertdialog')
    expect(await dialog.textContent()).toContain('the current one stops working immediately')
    await shot(page, 'keys-regenerate')
    await dialog.getByRole('button', { name: 'Regenerate' }).click()
    const value = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    expect(await callWith(key)).toBe(401)
    expect(await callWith(value)).toBe(200)
  })

  test('describes what revoking does, then rejects the key and lists it as revoked', async () => {
    const { key } = await dashboard.key({ mode: 'test' })
    const page = await dashboard.open('/test/keys')
    await page.getByRole('button', { name: 'Actions for test' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    const dialog = page.getByRole('alertdialog')
    expect(await dialog.textContent()).toContain('This cannot be undone')
    await look(page, 'keys-revoke')
    await dialog.getByRole('button', { name: 'Revoke permanently' }).click()
    await page.getByText('test revoked').waitFor()
    await page.getByText('No test API keys yet').waitFor()
    expect(await callWith(key)).toBe(401)
    await page.getByLabel('Status').selectOption('revoked')
    await page.getByRole('cell', { name: 'Revoked' }).waitFor()
    expect(page.url()).toEndWith('?status=revoked')
    const [entry] = await dashboard.sql`
      SELECT actor_type, actor_name FROM audit_entries WHERE action = 'api_key.revoked'`
    expect(entry).toEqual({ actor_type: 'user', actor_name: 'owner@example.com' })
    checkOffences(page)
  })

  test('shows a readable error when a change is rejected or gets no response, and keeps the input', async () => {
    const page = await dashboard.open('/live/keys')
    await beginKey(page, 'Importer')
    await page.getByLabel('Requests per hour').fill('1000000')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Must be a whole number from 1 to 100000.').waitFor()
    await look(page, 'keys-refused')
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close', exact: true }).click(),
    ]) {
      await close()
      await page.getByText('Your changes are not saved.').waitFor()
      await page.getByLabel('Requests per hour').fill('1000001')
      await page.getByText('Your changes are not saved.').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Escape')
    await page.getByText('Your changes are not saved.').waitFor()
    await look(page, 'dialog-asks')
    await page.getByLabel('Requests per hour').fill('500')

    await page.route('**/api-keys', route => route.abort())
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('The server did not respond.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Importer')
    await page.unroute('**/api-keys')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('API key', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close anyway' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('shows changes of other users automatically', async () => {
    const page = await dashboard.open('/live/keys')
    await page.getByRole('table').waitFor()
    // The page is notified only of changes after its stream has begun.
    await until('the stream is open', async () =>
      page.evaluate(
        `performance.getEntriesByType('resource').some(one => one.name.includes('/rate-limit-usage'))`,
      ),
    )
    const other = await dashboard.client()
    await until('a key created by another user appears', async () => {
      await other.post('/api-keys', { name: 'From elsewhere', scopes: ['read'] })
      return (await page.getByText('From elsewhere').count()) > 0
    })
  })

  test('shows a viewer the keys without buttons that change them', async () => {
    const page = await dashboard.open('/live/keys', { role: 'viewer' })
    await page.getByRole('table').waitFor()
    expect(await page.getByRole('button', { name: 'Create API key' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
  })

  test('is usable by keyboard: rows, menus and dialogs', async () => {
    const page = await dashboard.open('/live/keys')
    const buttons = page.getByRole('button', { name: /^Actions for/ })
    await buttons.first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    checkOffences(page)
  })

  test('an edit warns before it replaces what another user changed meanwhile', async () => {
    const owner = person(dashboard.url, await sessionToken(dashboard))
    const key = { name: 'Shared', scopes: ['read'], mode: 'live' }
    const { id } = (await owner('POST', '/v1/api-keys', key)).body.data
    const page = await dashboard.open('/live/keys')
    await page.getByRole('button', { name: 'Actions for Shared' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Requests per hour').fill('100')
    await owner('PATCH', `/v1/api-keys/${id}`, { rate_limit: 500 })
    await page.getByText('while you were editing: rate limit. Saving replaces').waitFor()
    checkOffences(page)
  })

  test('shows that a key has expired while the page is open', async () => {
    const owner = person(dashboard.url, await sessionToken(dashboard))
    const expires_at = new Date(Date.now() + 20_000).toISOString()
    const key = { name: 'Short', scopes: ['read'], mode: 'live', expires_at }
    expect((await owner('POST', '/v1/api-keys', key)).status).toBe(201)
    const page = await dashboard.open('/live/keys')
    const row = page.getByRole('row', { name: /^Short/ })
    await row.getByText('Active').waitFor()
    await row.getByText('Expired').waitFor({ timeout: 60_000 })
  }, 120_000)
})
