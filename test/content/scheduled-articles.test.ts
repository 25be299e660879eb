import { describe, expect, test } from 'bun:test'
import { publishScheduleId } from '../../src/content/articles/publish-schedule'
import { publishDue } from '../../src/content/articles/scheduled'
import { createLog } from '../../src/log'
import { useContent } from '../support/content/content'
import { lockUntilReleased, lockWebhooks } from '../support/db/locks'
import { until } from '../support/until'
import { useSender } from '../support/webhooks/sender'

const { arden, live, newProject, eventsOf } = await useContent()
const log = createLog({ logLevel: 'fatal', logFormat: 'json' } as never)

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const IN_AN_HOUR = inMs(3_600_000)

const newArticle = async (body: object = {}) => {
  const { id: project_id } = await newProject()
  return (await live.post('/articles', { project_id, title: 't', ...body })).body.data
}
const scheduled = async () => (await newArticle({ scheduled_at: IN_AN_HOUR })).id as string
/** Makes the time of these articles come. */
const makeDue = (ids: string[]) => arden.sql`
  UPDATE articles SET scheduled_at = clock_timestamp() - interval '1 second' WHERE id = ANY (${ids})`
const publish = () => publishDue(arden.sql, log, () => {})
const read = async (id: string) => (await live.get(`/articles/${id}`)).body.data
const typesOf = async (id: string) => (await eventsOf(id)).map(({ event }) => event)

describe('a scheduled article', () => {
  test('is published when its time has come, with article.updated and article.published', async () => {
    const article = await newArticle({ scheduled_at: IN_AN_HOUR })
    expect(article).toMatchObject({ status: 'DRAFT', scheduled_at: IN_AN_HOUR })
    expect((await publish()).published).toBe(0)
    await makeDue([article.id])
    expect(await publish()).toMatchObject({ published: 1, failed: 0 })
    expect(await read(article.id)).toMatchObject({
      status: 'PUBLISHED',
      scheduled_at: null,
      published_at: expect.any(String),
      version: 1,
    })
    expect((await eventsOf(article.id)).slice(1)).toMatchObject([
      {
        event: 'article.updated',
        data: { status: 'PUBLISHED', changed: ['status', 'scheduled_at', 'published_at'] },
      },
      { event: 'article.published', data: { status: 'PUBLISHED' } },
    ])
    const audit = await arden.sql`
      SELECT action, actor_type FROM audit_entries WHERE subject_id = ${article.id} ORDER BY id`
    expect([...audit]).toEqual([
      { action: 'article.scheduled', actor_type: 'key' },
      { action: 'article.published', actor_type: 'system' },
    ])
  })

  test('is not published after its time was changed or removed, or it was deleted', async () => {
    const [moved, cancelled, deleted] = [await scheduled(), await scheduled(), await scheduled()]
    await makeDue([moved, cancelled, deleted])
    await live.patch(`/articles/${moved}`, { scheduled_at: IN_AN_HOUR })
    await live.patch(`/articles/${cancelled}`, { scheduled_at: null })
    await live.delete(`/articles/${deleted}`)
    expect((await publish()).published).toBe(0)
    expect(await read(moved)).toMatchObject({ status: 'DRAFT', scheduled_at: IN_AN_HOUR })
    expect(await read(cancelled)).toMatchObject({ status: 'DRAFT', scheduled_at: null })
    expect((await eventsOf(cancelled)).at(-1)).toMatchObject({
      event: 'article.updated',
      data: { changed: ['scheduled_at'] },
    })
  })

  test('that is published by hand is not published again, and its schedule is cancelled', async () => {
    const id = await scheduled()
    const { body } = await live.patch(`/articles/${id}`, { status: 'PUBLISHED' })
    expect(body.data).toMatchObject({ status: 'PUBLISHED', scheduled_at: null })
    await live.patch(`/articles/${id}`, { status: 'DRAFT' })
    await publish()
    expect((await typesOf(id)).filter(type => type === 'article.published')).toHaveLength(1)
  })

  test('keeps its time while its text changes', async () => {
    const id = await scheduled()
    await live.patch(`/articles/${id}`, { title: 'Other', scheduled_at: IN_AN_HOUR })
    expect(await read(id)).toMatchObject({ title: 'Other', scheduled_at: IN_AN_HOUR })
  })

  test('is refused with a time in the past, and for an article that is published', async () => {
    const past = inMs(-1_000)
    const { id: project_id } = await newProject()
    const refused = await live.post('/articles', { project_id, title: 't', scheduled_at: past })
    expect([refused.status, refused.body.details]).toEqual([
      422,
      [{ path: 'scheduled_at', message: expect.stringContaining('is in the past') }],
    ])
    const id = await scheduled()
    expect((await live.patch(`/articles/${id}`, { scheduled_at: past })).status).toBe(422)
    const published = { status: 'PUBLISHED', scheduled_at: IN_AN_HOUR }
    for (const response of [
      await live.patch(`/articles/${id}`, published),
      await live.post('/articles', { project_id, title: 't', ...published }),
    ])
      expect([response.status, response.body.details?.[0].path]).toEqual([422, 'scheduled_at'])
    expect((await read(id)).scheduled_at).toBe(IN_AN_HOUR)
  })

  test('is published once by workers that publish at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, scheduled))
    await makeDue(ids)
    const results = await Promise.all(Array.from({ length: 4 }, publish))
    expect(results.reduce((sum, { published }) => sum + published, 0)).toBe(30)
    for (const id of ids)
      expect((await typesOf(id)).filter(type => type === 'article.published')).toHaveLength(1)
  })

  test('that another transaction has locked delays no other', async () => {
    const [locked = '', ...others] = await Promise.all(Array.from({ length: 10 }, scheduled))
    await makeDue([locked, ...others])
    const release = await lockUntilReleased(
      arden.sql,
      tx => tx`SELECT FROM articles WHERE id = ${locked} FOR UPDATE`,
    )
    expect(await publish()).toMatchObject({ published: 9, failed: 1 })
    await release()
    expect(await publish()).toMatchObject({ published: 1, failed: 0 })
  })

  test('of an account whose ordered webhook is locked is tried three times, and delays no other account', async () => {
    const other = await arden.client({ accountId: await arden.newAccount() })
    const hook = { url: 'http://127.0.0.1:9/', events: ['article.published'], ordered: true }
    const { id: webhook } = (await other.post('/webhooks', hook)).body.data
    const { id: project_id } = await newProject(other)
    const schedule = async () =>
      (await other.post('/articles', { project_id, title: 't', scheduled_at: IN_AN_HOUR })).body
        .data.id as string
    const blocked = await Promise.all(Array.from({ length: 10 }, schedule))
    const own = await scheduled()
    await makeDue([...blocked, own])
    const release = await lockWebhooks(arden.sql, webhook)
    expect(await publish()).toMatchObject({ published: 1, failed: 3 })
    await release()
    expect(await publish()).toMatchObject({ published: 10, failed: 0 })
  })

  test('of a deleted project is not published', async () => {
    const { id, project_id } = await newArticle({ scheduled_at: IN_AN_HOUR })
    await makeDue([id])
    await live.delete(`/projects/${project_id}`)
    expect(await publish()).toMatchObject({ published: 0, failed: 0 })
  })
})

test('a schedule in Temporal publishes what became due without a worker, and waits for what is due in its minute', async () => {
  const sender = await useSender('https://hooks.example.com/in')
  const { sql } = sender
  const [webhook] = await sql<[{ account_id: string }]>`SELECT account_id FROM webhooks`
  const of = { account_id: webhook.account_id, mode: 'live' }
  await sql`INSERT INTO projects ${sql({ id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne', ...of, name: 'Blog', language: 'en' })}`
  const add = (id: string, at: Date) => sql`
    INSERT INTO articles ${sql({ id, ...of, project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne', title: 't', slug: 't', body: '', status: 'DRAFT', scheduled_at: at })}`
  await add('art_01kafz3v5tf4qrm8z3x9d2c7na', new Date(Date.now() - 60_000))
  const soon = new Date(Date.now() + 8_000)
  await add('art_01kafz3v5tf4qrm8z3x9d2c7nb', soon)
  await sender.work()
  const schedule = sender.temporal.client.schedule.getHandle(publishScheduleId(sender.taskQueue))
  const { spec } = await until('the schedule is there', () =>
    schedule.describe().catch(() => undefined),
  )
  expect(spec.intervals).toMatchObject([{ every: 60_000 }])
  await schedule.trigger()
  await until('both are published', async () => {
    const rows = await sql`SELECT FROM articles WHERE status = 'PUBLISHED'`
    return rows.length === 2
  })
  const [{ published_at }] = await sql<[{ published_at: Date }]>`
    SELECT published_at FROM articles WHERE id = 'art_01kafz3v5tf4qrm8z3x9d2c7nb'`
  expect(published_at.getTime()).toBeGreaterThanOrEqual(soon.getTime())
})
