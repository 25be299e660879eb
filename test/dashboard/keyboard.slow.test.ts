import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useDashboard } from '../support/dashboard/dashboard'
import { DIALOGS } from '../support/dashboard/every-page/dialogs'
import { PAGES, PUBLIC_PAGES } from '../support/dashboard/every-page/pages'
import { fullRecords } from '../support/dashboard/every-page/records'
import { type Focused, focused, missedByTab, tabStops } from '../support/dashboard/focus'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Every page and dialog by the keyboard alone. */

const good = useReceiver()
const broken = useReceiver(() => new Response('no', { status: 503 }))
const dashboard = await useDashboard({ serve: true, worker: true })
const records = await fullRecords(dashboard, { good: good.url, broken: broken.url })

const open = async (path: string) => loaded(await dashboard.open(path, { email: records.email }))
const loaded = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  return page
}

const unseen = (stops: Focused[]) => stops.filter(one => !one.isSeen).map(({ name }) => name)

describe('Tab reaches everything on the page, in order and visibly', () => {
  test.each(PAGES.map(row => [row.name, row] as const))('%s', async (_, row) => {
    const page = await open(row.path(records))
    const stops = await tabStops(page)
    // Rows that arrived behind the focus are reached by the next walk.
    if ((await missedByTab(page)).length > 0) await tabStops(page)
    expect(stops[0]?.name).toBe('a Skip to content')
    expect(unseen(stops)).toEqual([])
    expect(stops.filter(({ tabIndex }) => tabIndex > 0)).toEqual([])
    expect(await missedByTab(page)).toEqual([])
  })
})

describe('Tab reaches everything of a page without a session', () => {
  test.each(PUBLIC_PAGES.map(row => [row.name, row] as const))('%s', async (_, row) => {
    const page = await loaded(await dashboard.visit(row.path(records)))
    // The page of a link asks the server first what it is for.
    await page.locator('a, button, input').first().waitFor()
    // A first field has the focus at once.
    const stops = [await focused(page), ...(await tabStops(page))]
    expect(unseen(stops)).toEqual([])
    expect(await missedByTab(page)).toEqual([])
  })
})

const DIALOG = '[role=dialog], [role=alertdialog], [role=menu]'
const isClosed = async (page: Page) => (await page.locator(DIALOG).count()) === 0

describe('Enter opens it, Tab stays in it, Escape closes it', () => {
  test.each(DIALOGS.map(row => [row.name, row] as const))('%s', async (_, row) => {
    const page = await open(row.path(records))
    await row.open(page)
    await until('the focus is in it', async () => (await focused(page)).isInDialog)
    const isMenu = (await page.getByRole('menu').count()) > 0
    if (!isMenu) {
      const stops = await tabStops(page)
      expect(stops.filter(one => !one.isInDialog)).toEqual([])
      expect(unseen(stops)).toEqual([])
    }
    await page.keyboard.press('Escape')
    // What would be lost is asked for first.
    const close = page.getByRole('button', { name: 'Close anyway' })
    await until(
      'it is closed, or asks',
      async () => (await isClosed(page)) || (await close.isVisible()),
    )
    if (await close.isVisible()) await close.press('Enter')
    await until('it is closed', () => isClosed(page))
    await until('the page has the focus', async () => (await focused(page)).id !== -1)
  })
})
