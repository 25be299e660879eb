import { expect, test } from 'bun:test'
import { useDashboard } from '../support/dashboard/dashboard'

/** The search of each list (contract 1.12). */

const dashboard = await useDashboard()
const api = await dashboard.client()
const make = async (path: string, body: object) =>
  (await api.post(path, body)).body.data.id as string
const blog = await make('/projects', { name: 'Coffee blog', domain: 'blog.acme.com' })
await make('/projects', { name: 'Tea shop' })
for (const keyword of ['cold brew', 'green tea']) {
  const id = await make(`/projects/${blog}/keywords`, { keyword })
  await make('/generations', { keyword_id: id })
  await make('/articles', { project_id: blog, title: `All about ${keyword}` })
}
for (const description of ['Customer database', 'Publishes to the shop'])
  await make('/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'], description })

test.each([
  ['/projects', 'Name or domain', 'acme', 'Coffee blog', 'Tea shop'],
  [`/projects/${blog}`, 'Keyword', 'BREW', 'cold brew', 'green tea'],
  ['/articles', 'Title or slug', 'all-about-cold', 'All about cold brew', 'All about green tea'],
  ['/generations', 'Keyword', 'tea ', 'green tea', 'cold brew'],
  ['/webhooks', 'URL or description', 'customer', 'Customer database', 'Publishes to the shop'],
])('%s finds by %s', async (path, label, text, found, other) => {
  const page = await dashboard.open(`/live${path}`)
  const row = (name: string) => page.getByRole('table').getByRole('link', { name, exact: true })
  await row(other).waitFor()
  const field = page.getByPlaceholder(label)
  await field.fill(text)
  await row(other).waitFor({ state: 'detached' })
  expect(await row(found).count()).toBe(1)
  // A link and the back button restore it.
  await page.reload()
  await row(found).waitFor()
  expect(await field.inputValue()).toBe(text)
  await field.fill('nothing like this')
  await page.getByText(/^No matching/).waitFor()
  await field.fill('  ')
  await row(other).waitFor()
})
