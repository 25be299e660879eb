import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { checkOffences, useDashboard } from '../support/dashboard/dashboard'
import { logEntryOf } from '../support/http/request-log'
import { until } from '../support/until'

/** Where things are on a page. What holds for every page is checked by `look`. */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PHONE = { width: 390, height: 844 }

const dashboard = await useDashboard()
const api = await dashboard.client()
const project = (await api.post('/projects', { name: 'Blog' })).body.data

const boxOf = async (of: Locator) => {
  const box = await of.boundingBox()
  if (box === null) throw new Error(`${of} is not visible`)
  return box
}

test('a short path in the request log is above the id of its request', async () => {
  const entry = await logEntryOf(api, await api.get('/short'))
  const page = await dashboard.open('/live/requests')
  const row = page.getByRole('row', { name: /short/ })
  const path = await boxOf(row.getByText('GET /api/public/v1/short'))
  const id = await boxOf(row.getByText(entry.request_id))
  expect(id.y).toBeGreaterThanOrEqual(path.y + path.height)
})

test('both ends of a period are on one line', async () => {
  await api.post('/api-keys', { name: 'a-name-without-a-space-'.repeat(4), scopes: ['read'] })
  const page = await dashboard.open('/live/requests')
  await page.getByLabel('API key').locator('option').nth(2).waitFor({ state: 'attached' })
  const from = await boxOf(page.getByLabel('From'))
  expect((await boxOf(page.getByLabel('To'))).y).toBe(from.y)
})

test('no button covers a code sample on a phone', async () => {
  const page = await dashboard.open('/live/keys')
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Laptop')
  await name.press('Enter')
  const copy = await boxOf(page.getByRole('button', { name: 'Copy the curl code' }))
  const code = await boxOf(page.locator('pre'))
  expect(copy.x).toBeGreaterThanOrEqual(code.x + code.width)
})

test('the page of a keyword is below Projects, also while it cannot be read', async () => {
  const { id } = (await api.post(`/projects/${project.id}/keywords`, { keyword: 'espresso' })).body
    .data
  const page = await dashboard.open(`/live/keywords/${id}`)
  const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]')
  await page.getByRole('heading', { name: 'espresso' }).waitFor()
  expect(await current.allTextContents()).toEqual(['Projects'])

  await page.route('**/v1/keywords/*', route => route.abort())
  await page.reload()
  await page.getByRole('alert').first().waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  expect(await current.allTextContents()).toEqual(['Projects'])
})

test('every card of the settings that cannot be read can be read again', async () => {
  const page = await dashboard.open('/live/settings')
  await page.route('**/dashboard/api/language-models', route => route.abort())
  await page.reload()
  const card = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Language models' }) })
  await card.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute('**/dashboard/api/language-models')
  await card.getByRole('button', { name: 'Try again' }).click()
  await card.getByText('No worker').waitFor()
})

/** The labels below a chart as it was last drawn: text, and by how many px each is outside the canvas. */
const labelsOf = async (page: Page) => {
  await page.addInitScript(`
    window.labels = []
    const clear = CanvasRenderingContext2D.prototype.clearRect
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      window.labels = []
      return clear.call(this, ...box)
    }
    const draw = CanvasRenderingContext2D.prototype.fillText
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
      if (this.textAlign === 'center') {
        const half = this.measureText(text).width / 2
        window.labels.push({ text, outside: Math.max(0, half - x, x + half - this.canvas.width) })
      }
      return draw.call(this, text, x, y, ...rest)
    }`)
  await page.reload()
  return until('a chart is drawn', async () => {
    const labels = (await page.evaluate('window.labels')) as { text: string; outside: number }[]
    return labels.length > 0 && labels
  })
}

const rankedKeyword = async (keyword: string, times: number[]): Promise<string> => {
  const { id } = (await api.post(`/projects/${project.id}/keywords`, { keyword })).body.data
  for (const at of times)
    await api.post(`/keywords/${id}/rankings`, {
      position: 3,
      checked_at: new Date(at).toISOString(),
    })
  return id
}

test('no label of a chart is cut at its edge', async () => {
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS
  // Two days from midnight to midnight: labels are at both edges.
  const id = await rankedKeyword('cold brew', [midnight - 2 * DAY_MS, midnight])
  const page = await dashboard.open(`/live/keywords/${id}`)
  const labels = await labelsOf(page)
  expect(labels.filter(({ outside }) => outside > 0)).toEqual([])
  checkOffences(page)
})

test('a chart of one check repeats no label', async () => {
  const id = await rankedKeyword('kettle', [Date.now() - DAY_MS])
  const page = await dashboard.open(`/live/keywords/${id}`)
  const texts = (await labelsOf(page)).map(({ text }) => text)
  expect(texts).toEqual([...new Set(texts)])
})

/** Tablets and small laptops: the navigation is beside the page from 1024 on. */
const WIDTHS = [768, 820, 900, 1024, 1100, 1180, 1280]

test('every list has room at each width, and the names of keywords can be read', async () => {
  const { id } = (await api.post('/projects', { name: 'Museum' })).body.data
  for (const [keyword, tags] of [
    ['Herbstausstellung Berlin', ['herbst']],
    ['Herbstausstellung München', ['herbst', 'service']],
  ]) {
    const body = { keyword, tags, tracked: true }
    const { data } = (await api.post(`/projects/${id}/keywords`, body)).body
    await api.post('/generations', { keyword_id: data.id })
  }
  const webhook = { url: 'https://127.0.0.1:9/a-long-path-of-a-webhook', events: ['*'] }
  await api.post('/webhooks', webhook)
  await api.post('/articles', { project_id: id, title: 'Öffnungszeiten im Herbst', body: '' })
  await api.post('/api-keys', { name: 'Website', scopes: ['read', 'write'] })
  const page = await dashboard.open('/live/keys')
  const lists = ['keys', `projects/${id}`, 'webhooks', 'deliveries', 'events', 'articles']
  for (const path of [...lists, 'projects', 'generations', 'requests', 'audit']) {
    await page.goto(`${dashboard.url}/dashboard/live/${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.getByRole('table').first().waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const over = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([path, width, over]).toEqual([path, width, 0])
      for (const table of await page.getByRole('table').all()) {
        const { x, width: wide } = await boxOf(table)
        const card = await boxOf(table.locator('xpath=../..'))
        expect([path, width, x + wide <= card.x + card.width + 1]).toEqual([path, width, true])
      }
      if (path !== `projects/${id}`) continue
      for (const name of await page.getByRole('link', { name: /^Herbst/ }).all())
        expect((await boxOf(name)).width).toBeGreaterThan(100)
    }
  }
}, 120_000)
