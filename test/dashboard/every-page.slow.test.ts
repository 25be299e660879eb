import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { look, takePictures, useDashboard } from '../support/dashboard/dashboard'
import { DIALOGS } from '../support/dashboard/every-page/dialogs'
import { PAGES, PUBLIC_PAGES } from '../support/dashboard/every-page/pages'
import {
  emptyRecords,
  fullRecords,
  longRecords,
  type Records,
} from '../support/dashboard/every-page/records'
import { useReceiver } from '../support/receiver'

/**
 * Every page and dialog: axe finds nothing serious, and nothing is wider than the screen. `bun run pictures --all
 * <folder>` runs this file, keeps the pictures, and adds the states in which requests fail.
 */

const ALL_STATES = process.env.ARDEN_PICTURES !== undefined

const good = useReceiver()
const broken = useReceiver(
  () =>
    new Response('{"error":"maintenance"}', {
      status: 503,
      headers: { 'content-type': 'application/json' },
    }),
)
const dashboard = await useDashboard({ serve: true, worker: true })
const to = { good: good.url, broken: broken.url }
const records = {
  full: await fullRecords(dashboard, to),
  empty: await emptyRecords(dashboard, to),
  long: await longRecords(dashboard, to),
}

/** The page is there and has loaded its records. */
const isLoaded = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

const openAs = async ({ accountId, email }: Records, path: string) => {
  const page = await dashboard.open(path, { accountId, email })
  await isLoaded(page)
  return page
}

test('every address of the router has a row', async () => {
  const router = await Bun.file(
    join(import.meta.dir, '../../src/dashboard/pages/router.tsx'),
  ).text()
  const routes = [...router.matchAll(/\bpage\('([^']+)'/g)].map(([, route]) => route)
  expect(routes.length).toBeGreaterThan(10)
  expect(routes.filter(route => !PAGES.some(row => row.route === route))).toEqual([])
})

describe.each(Object.entries(records))('%s', (state, of) => {
  test.each(PAGES.map(row => [row.name, row] as const))('%s', async (name, row) => {
    await look(await openAs(of, row.path(of)), `${state}/${name}`)
  })
})

describe('without a session', () => {
  test.each(PUBLIC_PAGES.map(row => [row.name, row] as const))('%s', async (name, { path }) => {
    const page = await dashboard.visit(path(records.full))
    await isLoaded(page)
    // The page of a link asks the server first what it is for.
    await page.locator('a, button, input').first().waitFor()
    await look(page, `full/${name}`)
  })
})

describe('dialog', () => {
  test.each(DIALOGS.map(row => [row.name, row] as const))('%s', async (name, row) => {
    const page = await openAs(records.full, row.path(records.full))
    await row.open(page)
    await page.locator('[role=dialog], [role=alertdialog], [role=menu]').first().waitFor()
    await look(page, `dialogs/${name}`)
  })
})

const FAILURES = [
  [
    'error-500',
    500,
    'INTERNAL_ERROR',
    'Internal error. Try again; if it happens again, report the request id 0b7f7c52.',
  ],
  ['error-503', 503, 'UNAVAILABLE', 'The database is unavailable. Try again in 2 seconds.'],
] as const

const READING = PAGES.filter(({ reads = true }) => reads)

describe.if(ALL_STATES)('requests fail', () => {
  for (const [state, status, error, message] of FAILURES)
    test.each(READING.map(row => [row.name, row] as const))(`${state} %s`, async (name, row) => {
      const page = await openAs(records.full, '/live/incidents')
      await page.route(
        url => url.pathname.startsWith('/dashboard/api/') && !/\/(me|stream)$/.test(url.pathname),
        route =>
          route.fulfill({
            status,
            headers: { 'x-request-id': '0b7f7c52', 'content-type': 'application/json' },
            body: JSON.stringify({ error, message }),
          }),
      )
      await page.goto(`${dashboard.url}/dashboard${row.path(records.full)}`)
      await page.getByRole('alert').first().waitFor()
      await takePictures(page, `${state}/${name}`)
    })

  test.each(PAGES.map(row => [row.name, row] as const))('offline %s', async (name, row) => {
    const page = await openAs(records.full, row.path(records.full))
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await takePictures(page, `offline/${name}`)
  })
})
