import { expect, test } from 'bun:test'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { makeArticles, subscribe } from '../support/webhooks/webhooks'

/** Long names, URLs and errors fit into filters and lists. */

const dashboard = await useDashboard()
const api = await dashboard.client()
const LONG = 'a-name-that-goes-on-and-on-'.repeat(3)

test('the filters of lists are no wider than the screen, and cut long values off', async () => {
  const url = `http://127.0.0.1:1/${LONG.repeat(6)}`
  const { id } = (await api.post('/webhooks', { url, events: ['article.created'] })).body.data
  const project = (await api.post('/projects', { name: LONG })).body.data
  for (const [path, label] of [
    [`deliveries?webhook=${id}`, 'Webhook'],
    [`articles?project=${project.id}`, 'Project'],
    [`generations?project=${project.id}`, 'Project'],
  ] as const) {
    const page = await dashboard.open(`/live/${path}`)
    const filter = page.getByLabel(label, { exact: true })
    await filter.locator(`option[value^=${label === 'Webhook' ? id : project.id}]`).waitFor({
      state: 'attached',
    })
    await look(page, `long-names-${path.split('?')[0]}`)
    const box = await filter.boundingBox()
    expect(box?.width).toBeLessThanOrEqual(240)
  }
})

test('the list of deliveries wraps an error with a long word', async () => {
  await subscribe(api, 'http://127.0.0.1:1/')
  await makeArticles(api, 1)
  const error = `redirects are not followed (302 to https://example.com/${'a'.repeat(170)})`
  await dashboard.sql`UPDATE deliveries SET status = 'FAILED', error = ${error}`
  const page = await dashboard.open('/live/deliveries')
  await page.getByRole('table').getByText(error).first().waitFor()
  await look(page, 'long-error')
})
