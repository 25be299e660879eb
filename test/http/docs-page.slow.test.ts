import { afterAll, expect, test } from 'bun:test'
import { THEME_KEY } from '../../src/http/theme-key'
import { startArden } from '../support/arden'
import { startChromium } from '../support/dashboard/chromium'
import { accessProblems } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** "Try it out" on the OpenAPI page, as a person does it: a key is given, and calls really happen. */

/** For a part to appear, in ms; the page draws some fifty operations. */
const APPEAR_MS = 60_000

/** The origins that the page sent requests to, and the violations of its policy. */
const origins = new Set<string>()
const forbidden: string[] = []

const started = await Promise.all([startArden({ serve: true }), startChromium()])
const arden = started[0]
const browser = started[1]
const page = await browser.newPage({ reducedMotion: 'reduce' })
page.setDefaultTimeout(APPEAR_MS)
page.on('request', request => origins.add(new URL(request.url()).origin))
page.on('console', message => {
  if (message.text().includes('Content Security Policy')) forbidden.push(message.text())
})
await page.goto(`${arden.url}/docs`)
afterAll(async () => {
  await browser.close()
  await arden.stop()
})

/** In place of the key given before. */
const giveKey = async (key: string) => {
  await page.locator('.auth-wrapper button.authorize').click()
  const dialog = page.locator('.auth-container')
  await dialog.waitFor()
  const logout = dialog.getByText('Logout', { exact: true })
  if (await logout.isVisible()) await logout.click()
  await dialog.locator('input').fill(key)
  await dialog.locator('button[type=submit]').click()
  await dialog.locator('button.btn-done').click()
}

/** Executes an operation, with `body` in place of the example, and returns what the page shows. */
const tryIt = async (operation: string, body?: object) => {
  const [method = '', path = ''] = operation.split(' ')
  const block = page
    .locator(`.opblock-${method.toLowerCase()}`)
    .filter({ has: page.locator(`[data-path="/api/public/v1${path}"]`) })
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  if (body !== undefined)
    await block.locator('textarea.body-param__text').fill(JSON.stringify(body))
  await block.getByRole('button', { name: 'Execute' }).click()
  const response = block.locator('.live-responses-table tbody .response')
  const status = await response.locator('.response-col_status').textContent()
  const text = await response.locator('.highlight-code code').first().textContent()
  return { status: Number.parseInt(status ?? '', 10), body: JSON.parse(text ?? '') }
}

test('with a wrong key the page shows the 401 and what it says', async () => {
  await giveKey('ar_test_wrong')
  const { status, body } = await tryIt('GET /webhooks')
  expect([status, body.error]).toEqual([401, 'UNAUTHORIZED'])
  expect(body.message).toContain('key')
})

test('with a key a POST makes a record and a GET shows it, on this very server', async () => {
  await giveKey((await arden.key({ mode: 'test' })).key)
  const made = await tryIt('POST /projects', { name: 'From the page' })
  expect([made.status, made.body.data?.name]).toEqual([201, 'From the page'])
  const listed = await tryIt('GET /projects')
  expect([listed.status, listed.body.data?.[0]?.id]).toEqual([200, made.body.data.id])
  expect([...origins]).toEqual([arden.url])
  expect(forbidden).toEqual([])
})

test('follows the theme that was chosen in the dashboard, and otherwise the system', async () => {
  const background = () =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const isDark = 'document.documentElement.classList.contains("dark-mode")'
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await background()
  expect(await page.evaluate(isDark)).toBe(false)
  await page.emulateMedia({ colorScheme: 'dark' })
  await until('the page is dark', () => page.evaluate(isDark))
  expect(await background()).not.toBe(light)
  await page.evaluate(`localStorage.setItem(${JSON.stringify(THEME_KEY)}, 'light')`)
  await page.reload()
  await page.locator('.opblock').first().waitFor()
  expect(await page.evaluate(isDark)).toBe(false)
  expect(forbidden).toEqual([])
})

test('leads to each group of operations and to the guides', async () => {
  await page.locator('nav').getByRole('link', { name: 'Articles', exact: true }).click()
  const heading = page.locator('#operations-tag-Articles')
  await until('the group is at the top', async () => {
    const box = await heading.boundingBox()
    return box !== null && box.y < 100
  })
  expect(await heading.textContent()).toContain('Articles')
  await page.locator('nav').getByRole('link', { name: 'Verify a webhook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Verify a webhook' }).waitFor()
  await page.locator('nav').getByRole('link', { name: 'API reference' }).click()
  await page.locator('.opblock').first().waitFor()
  expect([...origins]).toEqual([arden.url])
  expect(forbidden).toEqual([])
})

test('offers no try of the event stream, which would never end, and says what to do instead', async () => {
  await page.goto(`${arden.url}/docs`)
  const block = page.locator('.opblock', { hasText: 'Stream events' })
  await block.locator('.opblock-summary-control').press('Enter')
  await block.getByText('try curl -N or arden listen').waitFor()
  expect(await block.getByRole('button', { name: 'Try it out' }).count()).toBe(0)
})

test.each(['light', 'dark'] as const)(
  'is accessible in the %s theme, also where operations and dialogs are open',
  async colorScheme => {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${arden.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    const found = await accessProblems(page, 'the list of operations')
    await giveKey('ar_test_wrong')
    await tryIt('GET /webhooks')
    for (const method of ['post', 'patch', 'delete']) {
      const block = page.locator(`.opblock-${method}`).first()
      await block.locator('.opblock-summary-control').press('Enter')
      await block.getByRole('button', { name: 'Try it out' }).click()
    }
    await page.locator('section.models .model-box, section.models button').first().click()
    found.push(...(await accessProblems(page, 'an operation')))
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.setViewportSize({ width, height })
    await page.locator('.auth-wrapper button.authorize').click()
    await page.locator('.auth-container').waitFor()
    found.push(...(await accessProblems(page, 'the dialog for keys')))
    await page.getByRole('button', { name: 'Close' }).first().click()
    expect(found).toEqual([])
    expect(forbidden).toEqual([])
  },
)
