import { expect, test } from 'bun:test'
import type { ContentFigures } from '../../src/dashboard/overview/content'
import type { FirstSteps } from '../../src/dashboard/overview/first-steps'
import type { Overview } from '../../src/dashboard/overview/store'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'
import { addDeliveries } from '../support/webhooks/deliveries'

/** The server route of the overview. */

const arden = await useArden({ serve: true })
const owner = person(arden.url, await sessionToken(arden))

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const overview = async (span: string, zone = 'UTC', mode = 'live') => {
  const { status, body } = await owner('GET', `/overview?span=${span}&zone=${zone}`, undefined, {
    'x-arden-mode': mode,
  })
  expect(status).toBe(200)
  return body.data as Overview
}
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

test('counts deliveries by outcome, in the hour and the day of their creation', async () => {
  const add = (status: 'DELIVERED' | 'FAILED' | 'RETRYING', agoMs: number, count: number) =>
    addDeliveries(arden, { status, at: new Date(Date.now() - agoMs), count })
  await add('DELIVERED', 0, 5)
  await add('FAILED', 0, 2)
  await add('RETRYING', 0, 1)
  await add('DELIVERED', 3 * HOUR_MS, 7)
  await add('FAILED', 10 * DAY_MS, 3)
  await add('DELIVERED', 40 * DAY_MS, 11)
  await addDeliveries(arden, { status: 'FAILED', at: new Date(), count: 13, mode: 'test' })

  const day = await overview('24h')
  expect(day.times.length).toBe(24)
  expect(day.times.at(-1)).toBe(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
  expect(day.deliveries.delivered.at(-1)).toBe(5)
  expect(day.deliveries.delivered.at(-4)).toBe(7)
  expect(day.deliveries.failed.at(-1)).toBe(2)
  expect(day.deliveries.retrying.at(-1)).toBe(1)
  expect(sum(day.deliveries.delivered)).toBe(12)

  const month = await overview('30d')
  expect(month.times.length).toBe(30)
  expect(sum(month.deliveries.delivered)).toBe(12)
  expect(sum(month.deliveries.failed)).toBe(5)
  expect(month.deliveries.failed.at(-11)).toBe(3)
  expect(sum((await overview('24h', 'UTC', 'test')).deliveries.failed)).toBe(13)
})

test('uses days of the requested time zone, also when clocks change', async () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia']) {
    const { times } = await overview('30d', zone)
    const clock = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
    })
    expect(times.map(time => clock.format(time))).toEqual(Array(30).fill('00:00'))
    expect(Date.now() - (times.at(-1) ?? 0)).toBeLessThan(25 * HOUR_MS)
  }
})

test('rejects an unknown span or time zone', async () => {
  for (const [query, member] of [
    ['span=1y&zone=UTC', 'span'],
    ['span=24h&zone=Mars', 'zone'],
    ['span=30d&zone=US/Pacific-New', 'zone'],
    ['span=24h&zone=%2B02:00', 'zone'],
  ]) {
    const { status, body } = await owner('GET', `/overview?${query}`)
    expect(status).toBe(422)
    expect(body.details).toMatchObject([{ path: member }])
  }
})

test('counts accepted and 429 requests by mode, without delaying them', async () => {
  const limited = await arden.client({ rate_limit: 3 })
  const tester = await arden.client({ mode: 'test' })
  for (let i = 0; i < 5; i++) await limited.get('/projects')
  await tester.get('/projects')
  await until('they are counted', async () => {
    const { requests } = await overview('24h', 'UTC')
    return sum(requests.accepted) === 3 && sum(requests.refused) === 2
  })
  await until('those of test keys as well', async () => {
    const { requests } = await overview('30d', 'UTC', 'test')
    return requests.accepted.at(-1) === 1 && requests.refused.at(-1) === 0
  })
})

const get = async (path: string, mode: string) =>
  (await owner('GET', path, undefined, { 'x-arden-mode': mode })).body.data

test('counts content by status, without what was deleted', async () => {
  const client = await arden.client({ mode: 'test' })
  const project = (await client.post('/projects', { name: 'Blog' })).body.data
  await client.delete(
    `/projects/${(await client.post('/projects', { name: 'Gone' })).body.data.id}`,
  )
  const keywords = `/projects/${project.id}/keywords`
  const { id: keyword_id } = (await client.post(keywords, { keyword: 'one' })).body.data
  await client.post(keywords, { keyword: 'two', tracked: false })
  for (const status of ['DRAFT', 'DRAFT', 'PUBLISHED'])
    await client.post('/articles', { project_id: project.id, title: 'Title', status })
  await client.post('/generations', { keyword_id })
  const expected: ContentFigures = {
    projects: 1,
    keywords: { all: 2, tracked: 1 },
    articles: { DRAFT: 2, PUBLISHED: 1 },
    generations: {
      QUEUED: 1,
      RUNNING: 0,
      AWAITING_APPROVAL: 0,
      COMPLETED: 0,
      FAILED: 0,
      CANCELLED: 0,
    },
  }
  expect(await get('/overview/content', 'test')).toEqual(expected)
})

test('derives the first steps from the records of the mode', async () => {
  const accountId = await arden.newAccount()
  const member = person(arden.url, await sessionToken({ ...arden, accountId }, 'member'))
  const steps = async () => (await member('GET', '/overview/first-steps')).body.data as FirstSteps
  const none = { key: false, webhook: false, project: false, article: false, delivery: false }
  expect(await steps()).toEqual(none)
  await arden.key({ accountId, mode: 'test' })
  expect(await steps()).toEqual(none)
  const client = await arden.client({ accountId })
  expect(await steps()).toEqual({ ...none, key: true })
  await client.post('/webhooks', { url: 'https://127.0.0.1:9/arden-hooks', events: ['*'] })
  const project = (await client.post('/projects', { name: 'Blog' })).body.data
  expect(await steps()).toEqual({ ...none, key: true, webhook: true, project: true })
  await client.post('/articles', { project_id: project.id, title: 'Title' })
  const all = { key: true, webhook: true, project: true, article: true, delivery: true }
  expect(await steps()).toEqual({ ...all, delivery: false })
  await arden.sql`
    UPDATE deliveries SET status = 'DELIVERED', next_attempt_at = NULL WHERE account_id = ${accountId}`
  expect(await steps()).toEqual(all)
})
