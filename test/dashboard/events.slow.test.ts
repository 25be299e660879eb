import { expect, test } from 'bun:test'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { useReceiver } from '../support/receiver'
import { finalDeliveries } from '../support/webhooks/webhooks'

/** The pages of events, and the way from a delivery to its article and back. */

const receiver = useReceiver(() => new Response('ok'))
const dashboard = await useDashboard({ serve: true, worker: true })
const live = await dashboard.client()

test('leads from a delivery to its event and article, and from the article back', async () => {
  const hook = (
    await live.post('/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['article.created'],
      description: 'Shop window',
    })
  ).body.data
  const project = (await live.post('/projects', { name: 'Blog' })).body.data
  const article = (await live.post('/articles', { project_id: project.id, title: 'Cold brew' }))
    .body.data
  const [delivery] = await finalDeliveries(live, hook, 1)

  const page = await dashboard.open(`/live/deliveries/${delivery.id}`)
  await page.getByRole('link', { name: 'Shop window' }).waitFor()
  await page.getByRole('link', { name: delivery.event_id }).click()
  await page.getByRole('heading', { level: 1, name: 'article.created' }).waitFor()
  const payload = await page.getByLabel('payload', { exact: true }).textContent()
  expect(JSON.parse(payload ?? '')).toEqual(JSON.parse(receiver.received[0]?.body ?? ''))
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await deliveries.getByText('Delivered').waitFor()
  expect(await deliveries.getByRole('columnheader').allTextContents()).toEqual([
    'Endpoint',
    'Status',
    'Response',
    'Attempts',
    'Created',
  ])
  await look(page, 'event')
  await page.getByRole('link', { name: 'Article', exact: true }).click()
  await page.waitForURL(`**/live/articles/${article.id}`)
  const events = page.getByRole('table', { name: 'Events and deliveries' })
  await events.getByText('Delivered').waitFor()
  await look(page, 'article-events')
  await events.getByRole('link', { name: 'Shop window' }).click()
  await page.waitForURL(`**/live/deliveries/${delivery.id}`)
  await page.getByRole('link', { name: 'Article', exact: true }).click()
  await page.waitForURL(`**/live/articles/${article.id}`)
})

test('lists events that no webhook receives, filters them, and keeps the filter in the address', async () => {
  const page = await dashboard.open('/test/events')
  await page.getByText('No test events yet').waitFor()
  const client = await dashboard.client({ mode: 'test' })
  const project = (await client.post('/projects', { name: 'Blog' })).body.data
  await client.post(`/projects/${project.id}/keywords`, { keyword: 'espresso' })
  const { id } = (await client.post('/articles', { project_id: project.id, title: 'Moka pot' }))
    .body.data
  await client.delete(`/articles/${id}`)
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
  await rows.nth(3).waitFor()
  await page.getByText('espresso').waitFor()
  await page.getByText('Article (deleted)').waitFor()
  await look(page, 'events')
  await page.getByLabel('Event', { exact: true }).selectOption('article.deleted')
  await page.waitForURL('**/test/events?event=article.deleted')
  await rows.nth(2).waitFor({ state: 'detached' })
  await rows.nth(1).getByRole('link', { name: 'article.deleted' }).click()
  await page.getByText('No webhook was subscribed').waitFor()
})

test('links no record of a deleted project', async () => {
  const client = await dashboard.client({ mode: 'test' })
  const project = (await client.post('/projects', { name: 'Gone' })).body.data
  const { id: project_id } = project
  await client.post('/articles', { project_id, title: 'Gone with it' })
  const [event] = (await client.get('/events?event=article.created')).body.data
  expect(event.data.project_id).toBe(project_id)
  const page = await dashboard.open(`/test/events/${event.id}`)
  await page.getByRole('link', { name: 'Project', exact: true }).waitFor()
  await client.delete(`/projects/${project_id}`)
  // The page updates automatically.
  await page.getByText('Project (deleted)').waitFor()
  await page.getByText('Article (deleted)').waitFor()
  expect(await page.getByRole('link', { name: 'Article', exact: true }).count()).toBe(0)
  checkOffences(page)
})

test('says that an event does not exist', async () => {
  const page = await dashboard.open('/live/events/evt_01kafz3v5tf4qrm8z3x9d2c7ne')
  await page.getByText('No event with the id').waitFor()
})
