import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useDashboard } from '../support/dashboard/dashboard'

/** What is loaded before the dashboard can be used. */

const dashboard = await useDashboard()

/** Everything, compressed, in bytes. */
const FIRST_MAX = 250_000
/** With a warm cache: at 40 kB/s it can be used within 3 s, of which 1 s are for round trips and the page itself. */
const WARM_MAX = 80_000

/** Bytes that the page has transferred, with headers, without the event stream. */
const transferred = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .concat(performance.getEntriesByType('navigation'))
    .reduce((sum, one) => sum + one.transferSize, 0)`)

const isUsable = async (page: Page) => {
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByText('No deliveries in the last 24 hours').waitFor()
}

test('transfers less than 250 kB at first, and less than 80 kB with a warm cache', async () => {
  const page = await dashboard.open('/live')
  await isUsable(page)
  const first = await transferred(page)

  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 100,
    downloadThroughput: 40_000,
    uploadThroughput: 40_000,
  })
  const began = performance.now()
  await page.reload({ waitUntil: 'commit' })
  await isUsable(page)
  const seconds = (performance.now() - began) / 1000
  const warm = await transferred(page)
  process.stderr.write(
    `first load: ${Math.round(first / 1000)} kB; warm: ${Math.round(warm / 1000)} kB, usable after ${seconds.toFixed(1)} s at 40 kB/s\n`,
  )
  expect(first).toBeGreaterThan(50_000)
  expect(first).toBeLessThan(FIRST_MAX)
  expect(warm).toBeGreaterThan(0)
  expect(warm).toBeLessThan(WARM_MAX)
})
