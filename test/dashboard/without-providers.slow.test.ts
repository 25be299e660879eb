import { expect, test } from 'bun:test'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** Pages where no language model and no SERP provider is configured. */

const dashboard = await useDashboard({ serve: true, worker: true })
const api = await dashboard.client()
const { id: project_id } = (await api.post('/projects', { name: 'Coffee', domain: 'a.example' }))
  .body.data
const { id: keyword } = (
  await api.post(`/projects/${project_id}/keywords`, { keyword: 'cold brew' })
).body.data
await until('the worker has reported', async () => {
  const rows = await dashboard.sql`SELECT FROM workers WHERE providers = '{}'`
  return rows.length === 1
})

test('a generation is said to be an outline that does not count, before it starts and after it', async () => {
  const page = await dashboard.open(`/live/keywords/${keyword}`)
  await page.getByRole('button', { name: 'Generate article' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('No language model is configured').waitFor()
  await look(page, 'without-model-start')
  await dialog.getByRole('button', { name: 'Generate', exact: true }).click()
  await page.getByText('this article is an outline').waitFor()
  await look(page, 'without-model-generation')
  await page.getByRole('link', { name: 'Generations', exact: true }).first().click()
  await page.getByRole('table').getByText('Offline draft').waitFor()
  await look(page, 'without-model-list')
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('generations create outlines, which do not count').waitFor()
  await look(page, 'without-model-overview')
  expect((await api.get('/usage')).body.data.generations).toBe(0)
})

test('an outline that is repeated keeps the headings that were given, and no others', async () => {
  const headings = async (outline?: string[]) => {
    const { id } = (
      await api.post('/generations', { keyword_id: keyword, ...(outline && { outline }) })
    ).body.data
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    await page.getByRole('button', { name: 'Generate again' }).click()
    return page.getByLabel('Outline', { exact: true }).inputValue()
  }
  expect(await headings(['Grind', 'Pour'])).toBe('Grind\nPour')
  expect(await headings()).toBe('')
})

test('a keyword is not said to be tracked', async () => {
  const page = await dashboard.open(`/live/projects/${project_id}`)
  await page.getByRole('table').getByText('Not tracked: no SERP provider').waitFor()
  await page.getByText('none: no SERP provider is configured').waitFor()
  await page
    .getByText('Keywords are not checked, because no SERP provider is configured.')
    .waitFor()
  await look(page, 'without-serp')
  await page.getByRole('button', { name: 'Add keyword' }).click()
  await page.getByText('so rankings are not tracked yet').waitFor()
})

test('the settings page says so to owners', async () => {
  const page = await dashboard.open('/live/settings')
  const checks = page.getByRole('list', { name: 'Checks' })
  await checks.getByText('are outlines of the offline provider').waitFor()
  await checks.getByText('No SERP provider is configured').waitFor()
  await look(page, 'without-providers-settings')
})
