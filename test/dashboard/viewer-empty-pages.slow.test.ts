import { test } from 'bun:test'
import { checkOffences, useDashboard } from '../support/dashboard/dashboard'

/** What a viewer reads on pages without records: nothing that only members and owners can do. */

const dashboard = await useDashboard({ serve: true })
const client = await dashboard.client({ mode: 'test' })
const project = (await client.post('/projects', { name: 'Empty' })).body.data

test.each([
  ['webhooks', 'Only members and owners can create webhooks.'],
  ['articles', 'Only members and owners can create articles.'],
  ['generations', 'Only members and owners can generate articles.'],
  ['deliveries', 'Every event sent to a webhook is listed here.'],
  [`projects/${project.id}`, 'Only members and owners can add keywords.'],
])('%s', async (path, text) => {
  const page = await dashboard.open(`/test/${path}`, { role: 'viewer' })
  await page.getByText(text, { exact: true }).waitFor()
  checkOffences(page)
})

test.each([
  ['projects', 'Only members and owners can create projects.'],
  ['keys', 'Only members and owners can create API keys.'],
])('%s', async (path, text) => {
  const page = await dashboard.open(`/live/${path}`, { role: 'viewer' })
  await page.getByText(text, { exact: true }).waitFor()
  checkOffences(page)
})
