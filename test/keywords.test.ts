import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Arden, startArden } from './support/arden'
import type { Client } from './support/client'
import { finishDeletions } from './support/deletions'
import { startReceiver } from './support/receiver'
import { until } from './support/until'

let arden: Arden
let live: Client
let tester: Client
let stranger: Client

beforeAll(async () => {
  arden = await startArden({ serve: true })
  live = await arden.client()
  tester = await arden.client({ mode: 'test' })
  const accountId = 'acc_01kafz3v5tf4qrm8z3x9d2c7ne'
  await arden.sql`INSERT INTO accounts (id, name) VALUES (${accountId}, 'other')`
  stranger = await arden.client({ accountId })
})
afterAll(() => arden.stop())

const newProject = async (as = live) =>
  (await as.post('/projects', { name: 'Blog' })).body.data as { id: string }

const newKeyword = async (body: object = {}, as = live) => {
  const { id } = await newProject(as)
  return (await as.post(`/projects/${id}/keywords`, { keyword: 'cold brew', ...body })).body.data
}

const rank = async (id: string, body: object, as = live) =>
  as.post(`/keywords/${id}/rankings`, body)

const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`

/** The events so far that name this record, oldest first: type and data. */
const eventsOf = async (id: string) => {
  const rows = await arden.sql<{ body: string }[]>`
    SELECT body FROM events WHERE body::jsonb -> 'data' @> any (ARRAY[
      jsonb_build_object('keyword_id', ${id}::text), jsonb_build_object('article_id', ${id}::text)
    ]) ORDER BY id`
  return rows.map(row => JSON.parse(row.body)).map(({ event, data }) => ({ event, data }))
}

describe('keywords', () => {
  test('POST 201, GET, PATCH and DELETE 200; keyword, tracked, country, device, latest_position', async () => {
    const project = await newProject()
    const created = await live.post(`/projects/${project.id}/keywords`, { keyword: 'cold brew' })
    expect(created.status).toBe(201)
    const keyword = created.body.data
    expect(keyword).toEqual({
      id: expect.stringMatching(/^kw_[0-9a-z]{26}$/),
      project_id: project.id,
      keyword: 'cold brew',
      tracked: true,
      country: 'US',
      device: 'desktop',
      latest_position: null,
      test_mode: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const path = `/keywords/${keyword.id}`
    expect((await live.get(path)).body.data).toEqual(keyword)
    const changes = { tracked: false, country: 'DE', device: 'mobile', keyword: 'kalter Kaffee' }
    expect((await live.patch(path, changes)).body.data).toEqual({ ...keyword, ...changes })
    const deleted = await live.delete(path)
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { data: { id: keyword.id, deleted: true } },
    ])
    for (const { status } of [
      await live.get(path),
      await live.patch(path, { tracked: true }),
      await live.delete(path),
      await live.get(`${path}/rankings`),
      await rank(keyword.id, { position: 1 }),
    ])
      expect(status).toBe(404)
    expect((await live.get(`/projects/${project.id}/keywords`)).body.data).toEqual([])
    expect(await arden.sql`SELECT FROM keywords WHERE id = ${keyword.id}`).toHaveLength(0)
  })

  test('POST fires keyword.created; a change of a keyword fires nothing', async () => {
    const keyword = await newKeyword()
    await live.patch(`/keywords/${keyword.id}`, { tracked: false })
    expect(await eventsOf(keyword.id)).toEqual([
      {
        event: 'keyword.created',
        data: { keyword_id: keyword.id, project_id: keyword.project_id, keyword: 'cold brew' },
      },
    ])
  })

  test('unique within a project for each country and device, whatever its case or white space: 409 naming the twin', async () => {
    const { id } = await newProject()
    const add = (body: object) => live.post(`/projects/${id}/keywords`, body)
    const first = (await add({ keyword: '  Crème\u00a0 Brûlée ' })).body.data
    expect(first.keyword).toBe('Crème Brûlée')
    const twin = await add({ keyword: 'crème brûlée', tracked: false })
    expect([twin.status, twin.body.error]).toEqual([409, 'CONFLICT'])
    expect(twin.body.message).toContain(first.id)
    expect(await arden.sql`SELECT FROM keywords WHERE project_id = ${id}`).toHaveLength(1)
    expect((await add({ keyword: 'crème brûlée', country: 'FR' })).status).toBe(201)
    const mobile = (await add({ keyword: 'crème brûlée', device: 'mobile' })).body.data
    const moved = await live.patch(`/keywords/${mobile.id}`, { device: 'desktop' })
    expect([moved.status, moved.body.error]).toEqual([409, 'CONFLICT'])
    expect(moved.body.message).toContain(first.id)
    expect((await live.get(`/keywords/${mobile.id}`)).body.data).toEqual(mobile)
    // Another project may have it, and so may this one when the first is gone.
    expect((await newKeyword({ keyword: 'crème brûlée' })).keyword).toBe('crème brûlée')
    await live.delete(`/keywords/${first.id}`)
    expect((await add({ keyword: 'crème brûlée' })).status).toBe(201)
  })

  test('what is one word in capitals is one keyword; the dotless i of Turkish makes another', async () => {
    const { id } = await newProject()
    const add = async (keyword: string) =>
      (await live.post(`/projects/${id}/keywords`, { keyword })).status
    for (const [one, twin] of [
      ['οδος', 'οδοσ'],
      ['straße', 'STRASSE'],
      ['ﬁnden', 'FINDEN'],
      ['ÅNGSTRÖM', 'a\u030angstro\u0308m'],
    ] as const)
      expect([one, await add(one), await add(twin)]).toEqual([one, 201, 409])
    expect([await add('kız'), await add('kiz')]).toEqual([201, 201])
  })

  test('its length is that of what is stored: 200 characters, however they are encoded', async () => {
    const { id } = await newProject()
    const add = (keyword: string) => live.post(`/projects/${id}/keywords`, { keyword })
    const long = await add(`  ${'e\u0301'.repeat(200)}`)
    expect([long.status, long.body.data.keyword]).toEqual([201, 'é'.repeat(200)])
    expect((await add('e\u0301'.repeat(201))).body.details).toEqual([
      { path: 'keyword', message: 'must have at most 200 characters' },
    ])
  })

  test('one folded by an older rule stays the same search when another member changes', async () => {
    const { id } = await newKeyword({ keyword: 'straße' })
    await rank(id, { position: 1 })
    await arden.sql`UPDATE keywords SET folded = 'straße' WHERE id = ${id}`
    expect((await live.patch(`/keywords/${id}`, { tracked: false })).status).toBe(200)
  })

  test('of many who add the same keyword at once, one succeeds and the others get its id', async () => {
    const { id } = await newProject()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => live.post(`/projects/${id}/keywords`, { keyword: 'k' })),
    )
    const made = answers.filter(answer => answer.status === 201)
    expect(made).toHaveLength(1)
    for (const answer of answers.filter(answer => answer.status !== 201)) {
      expect(answer.status).toBe(409)
      expect(answer.body.message).toContain(made[0]?.body.data.id)
    }
    expect(await eventsOf(made[0]?.body.data.id)).toHaveLength(1)
  })

  test('what a member must not be is a 422 naming it', async () => {
    const { id } = await newProject()
    for (const body of [
      { keyword: ' \t ' },
      { keyword: '\u200b\u2060' },
      { keyword: '' },
      { keyword: 'k'.repeat(201) },
      { keyword: 5 },
      { keyword: 'k', country: 'us' },
      { keyword: 'k', country: 'XX' },
      { keyword: 'k', country: null },
      { keyword: 'k', device: 'tablet' },
      { keyword: 'k', tracked: 'true' },
      { keyword: 'k', latest_position: 1 },
    ]) {
      const answer = await live.post(`/projects/${id}/keywords`, body)
      expect([body, answer.status, answer.body.details?.[0].path]).toEqual([
        body,
        422,
        Object.keys(body).at(-1),
      ])
    }
    expect((await live.post(`/projects/${id}/keywords`, {})).body.details[0].path).toBe('keyword')
  })

  test('lists filter by tracked, country and device, and go on with a cursor', async () => {
    const { id } = await newProject()
    const add = async (body: object) =>
      (await live.post(`/projects/${id}/keywords`, { keyword: 'k', ...body })).body.data.id
    const plain = await add({})
    const german = await add({ country: 'DE' })
    const mobile = await add({ device: 'mobile', tracked: false })
    const list = async (query: string) => (await live.get(`/projects/${id}/keywords?${query}`)).body
    const ids = async (query: string) =>
      (await list(query)).data.map((one: { id: string }) => one.id)
    expect(await ids('')).toEqual([mobile, german, plain])
    expect(await ids('tracked=true')).toEqual([german, plain])
    expect(await ids('tracked=false')).toEqual([mobile])
    expect(await ids('country=DE&device=desktop')).toEqual([german])
    expect(await ids('device=mobile&country=DE')).toEqual([])
    const { data, next_cursor } = await list('limit=2')
    expect(data).toHaveLength(2)
    expect(await ids(`limit=2&cursor=${next_cursor}`)).toEqual([plain])
    for (const query of ['tracked=yes', 'country=XX', 'device=tv'])
      expect((await live.get(`/projects/${id}/keywords?${query}`)).status).toBe(422)
  })

  test('an article of another keyword, or of one that is deleted, is a 422 naming keyword_id', async () => {
    const keyword = await newKeyword()
    const article = { project_id: keyword.project_id, title: 't', keyword_id: keyword.id }
    expect((await live.post('/articles', article)).status).toBe(201)
    const other = await newKeyword()
    const answers = [await live.post('/articles', { ...article, keyword_id: other.id })]
    await live.delete(`/keywords/${keyword.id}`)
    answers.push(await live.post('/articles', article))
    for (const { status, body } of answers)
      expect([status, body.details[0].path]).toEqual([422, 'keyword_id'])
  })
})

describe('deleting a keyword', () => {
  test('clears keyword_id on its articles at once, and fires article.updated for each', async () => {
    const keyword = await newKeyword()
    const article = { project_id: keyword.project_id, keyword_id: keyword.id }
    const ids: string[] = []
    for (const title of ['a', 'b'])
      ids.push((await live.post('/articles', { ...article, title })).body.data.id)
    await rank(keyword.id, { position: 3 })
    await live.delete(`/keywords/${keyword.id}`)
    for (const [n, id] of ids.entries()) {
      expect((await live.get(`/articles/${id}`)).body.data.keyword_id).toBeNull()
      expect((await eventsOf(id)).at(-1)).toEqual({
        event: 'article.updated',
        data: {
          article_id: id,
          project_id: keyword.project_id,
          keyword_id: null,
          title: ['a', 'b'][n],
          status: 'DRAFT',
          changed: ['keyword_id'],
        },
      })
    }
    expect(await arden.sql`SELECT FROM rankings WHERE keyword_id = ${keyword.id}`).toHaveLength(0)
  })

  test('with more of each kind than one transaction takes, the worker finishes it, each once', async () => {
    const keyword = await newKeyword()
    await arden.sql`
      INSERT INTO articles
        (id, account_id, mode, project_id, keyword_id, title, slug, body, status)
      SELECT 'art_' || lpad(n::text, 26, '0'), ${arden.accountId}, 'live', ${keyword.project_id},
        ${keyword.id}, 't', 't', '', 'DRAFT' FROM generate_series(1, 250) n`
    await manyRankings(keyword.id)
    await manyGenerations(keyword, 2_001)
    const { status } = await live.delete(`/keywords/${keyword.id}`)
    expect(status).toBe(200)
    expect((await live.get(`/keywords/${keyword.id}`)).status).toBe(404)
    // What the request did itself is bounded.
    const cleared = await arden.sql`
      SELECT FROM generations WHERE project_id = ${keyword.project_id} AND keyword_id IS NULL`
    expect(cleared.length).toBe(1_000)
    await Promise.all([finishDeletions(arden.sql), finishDeletions(arden.sql)])
    expect(await arden.sql`SELECT FROM keywords WHERE id = ${keyword.id}`).toHaveLength(0)
    const updated = await arden.sql`
      SELECT body::jsonb #>> '{data,article_id}' AS id FROM events
      WHERE type = 'article.updated' AND body::jsonb #>> '{data,project_id}' = ${keyword.project_id}`
    expect([updated.length, new Set(updated.map(row => row.id)).size]).toEqual([250, 250])
  })

  test('while articles of it are being made: each ends without it, and no call fails', async () => {
    const keyword = await newKeyword()
    const article = { project_id: keyword.project_id, keyword_id: keyword.id, title: 't' }
    const made = Promise.all(Array.from({ length: 12 }, () => live.post('/articles', article)))
    const deleted = await live.delete(`/keywords/${keyword.id}`)
    expect(deleted.status).toBe(200)
    for (const { status } of await made) expect([201, 422]).toContain(status)
    const { data } = (await live.get(`/articles?project_id=${keyword.project_id}`)).body
    for (const one of data) expect(one.keyword_id).toBeNull()
  })

  test('cancels its generations that are not final, and leaves the others as they are', async () => {
    const keyword = await newKeyword()
    for (const status of ['QUEUED', 'RUNNING', 'COMPLETED'])
      await arden.sql`
        INSERT INTO generations ${arden.sql({
          id: `gen_${status}`,
          account_id: arden.accountId,
          mode: 'live',
          project_id: keyword.project_id,
          keyword_id: keyword.id,
          keyword: 'cold brew',
          status,
        })}`
    expect((await live.delete(`/keywords/${keyword.id}`)).status).toBe(200)
    const rows = await arden.sql`
      SELECT status, keyword_id, keyword FROM generations
      WHERE project_id = ${keyword.project_id} ORDER BY id`
    const after = { keyword_id: null, keyword: 'cold brew' }
    expect([...rows]).toEqual([
      { status: 'COMPLETED', ...after },
      { status: 'CANCELLED', ...after },
      { status: 'CANCELLED', ...after },
    ])
  })

  test('with its project hides it at once, and its rankings go with it', async () => {
    const keyword = await newKeyword()
    await manyRankings(keyword.id)
    await live.delete(`/projects/${keyword.project_id}`)
    for (const path of [
      `/keywords/${keyword.id}`,
      `/keywords/${keyword.id}/rankings`,
      `/projects/${keyword.project_id}/keywords`,
    ])
      expect([path, (await live.get(path)).status]).toEqual([path, 404])
    expect((await rank(keyword.id, { position: 1 })).status).toBe(404)
    expect(
      (await live.post(`/projects/${keyword.project_id}/keywords`, { keyword: 'k' })).status,
    ).toBe(404)
    await finishDeletions(arden.sql)
    expect(await arden.sql`SELECT FROM rankings WHERE keyword_id = ${keyword.id}`).toHaveLength(0)
    expect(await arden.sql`SELECT FROM projects WHERE id = ${keyword.project_id}`).toHaveLength(0)
  })
})

const manyGenerations = (of: { id: string; project_id: string }, count: number) => arden.sql`
  INSERT INTO generations (id, account_id, mode, project_id, keyword_id, keyword, status)
  SELECT 'gen_' || substr(md5(${of.id} || n), 1, 26), ${arden.accountId}, 'live', ${of.project_id},
    ${of.id}, 'cold brew', 'COMPLETED'
  FROM generate_series(1, ${count}) n`

/** More than is removed in one transaction. */
const manyRankings = (keywordId: string) => arden.sql`
  INSERT INTO rankings (id, keyword_id, position, checked_at)
  SELECT 'rnk_' || substr(md5(${keywordId} || n), 1, 26), ${keywordId}, 1, clock_timestamp()
  FROM generate_series(1, 2001) n`

describe('rankings', () => {
  test('POST answers 201 with the record, sets latest_position and fires keyword.ranked', async () => {
    const keyword = await newKeyword()
    const url = 'https://blog.acme.com/cold-brew'
    const answer = await rank(keyword.id, { position: 7, url, checked_at: day(1) })
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^rnk_[0-9a-z]{26}$/),
      keyword_id: keyword.id,
      position: 7,
      url,
      checked_at: day(1),
      test_mode: false,
      created_at: expect.any(String),
    })
    expect((await live.get(`/keywords/${keyword.id}`)).body.data.latest_position).toBe(7)
    expect((await eventsOf(keyword.id)).slice(1)).toEqual([
      {
        event: 'keyword.ranked',
        data: {
          keyword_id: keyword.id,
          project_id: keyword.project_id,
          keyword: 'cold brew',
          position: 7,
          previous_position: null,
          url,
          checked_at: day(1),
        },
      },
    ])
  })

  test('an unchanged position is still data and fires; not found is null', async () => {
    const { id } = await newKeyword()
    for (const [n, position] of [3, 3, null, 4].entries())
      await rank(id, { position, checked_at: day(n + 1) })
    expect(await positions(id)).toEqual([
      [3, null],
      [3, 3],
      [null, 3],
      [4, null],
    ])
    await rank(id, { position: null })
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBeNull()
  })

  test('a clock that is up to five minutes ahead is no error: such a check was made now', async () => {
    const { id } = await newKeyword()
    const ahead = new Date(Date.now() + 270_000).toISOString()
    const answer = await rank(id, { position: 1, checked_at: ahead })
    expect(answer.status).toBe(201)
    expect(Date.parse(answer.body.data.checked_at)).toBeLessThanOrEqual(Date.now())
  })

  test('a cursor of another keyword is a 422 naming it', async () => {
    const [mine, other] = [await newKeyword(), await newKeyword()]
    for (const { id } of [mine, other])
      for (const n of [1, 2]) await rank(id, { position: n, checked_at: day(n) })
    const { next_cursor } = (await live.get(`/keywords/${other.id}/rankings?limit=1`)).body
    const answer = await live.get(`/keywords/${mine.id}/rankings?cursor=${next_cursor}`)
    expect([answer.status, answer.body.details?.[0].path]).toEqual([422, 'cursor'])
  })

  test('checked_at is now when absent', async () => {
    const { id } = await newKeyword()
    const { checked_at } = (await rank(id, { position: 1 })).body.data
    expect(Math.abs(Date.now() - Date.parse(checked_at))).toBeLessThan(10_000)
  })

  test('one that comes late is compared with the check before it, and latest_position does not go back in time', async () => {
    const { id } = await newKeyword()
    await rank(id, { position: 10, checked_at: day(1) })
    await rank(id, { position: 30, checked_at: day(3) })
    await rank(id, { position: 20, checked_at: day(2) })
    expect((await positions(id)).at(-1)).toEqual([20, 10])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(30)
    await rank(id, { position: 40, checked_at: day(4) })
    expect((await positions(id)).at(-1)).toEqual([40, 30])
  })

  test('many at once see one another: each but the first has the one before as previous_position', async () => {
    const { id } = await newKeyword()
    await Promise.all(Array.from({ length: 20 }, (_, n) => rank(id, { position: n + 1 })))
    const events = (await eventsOf(id)).slice(1).map(one => one.data)
    expect(events).toHaveLength(20)
    const history = (await live.get(`/keywords/${id}/rankings`)).body.data
    const order = history.map((one: { position: number }) => one.position).reverse()
    const previous = new Map(events.map(one => [one.position, one.previous_position]))
    expect(order.map((position: number) => previous.get(position))).toEqual([
      null,
      ...order.slice(0, -1),
    ])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(order.at(-1))
  })

  test('of a keyword that is not tracked is stored and fires nothing', async () => {
    const { id } = await newKeyword({ tracked: false })
    expect((await rank(id, { position: 5 })).status).toBe(201)
    expect((await eventsOf(id)).map(one => one.event)).toEqual(['keyword.created'])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(5)
    expect((await live.get(`/keywords/${id}/rankings`)).body.data).toHaveLength(1)
  })

  test('the history is the latest check first, filtered by checked_at, with a cursor that repeats nothing', async () => {
    const { id } = await newKeyword()
    for (const n of [2, 4, 1, 3, 5]) await rank(id, { position: n, checked_at: day(n) })
    const list = async (query: string) => (await live.get(`/keywords/${id}/rankings?${query}`)).body
    const order = (body: { data: { position: number }[] }) => body.data.map(one => one.position)
    expect(order(await list(''))).toEqual([5, 4, 3, 2, 1])
    expect(order(await list(`checked_after=${day(2)}&checked_before=${day(5)}`))).toEqual([4, 3])
    const first = await list('limit=2')
    expect(order(first)).toEqual([5, 4])
    await rank(id, { position: 6, checked_at: day(6) })
    const second = await list(`limit=2&cursor=${first.next_cursor}`)
    expect(order(second)).toEqual([3, 2])
    const third = await list(`limit=2&cursor=${second.next_cursor}`)
    expect([order(third), third.next_cursor]).toEqual([[1], null])
  })

  test('what a member must not be is a 422 naming it', async () => {
    const { id } = await newKeyword()
    const future = new Date(Date.now() + 330_000).toISOString()
    for (const body of [
      { position: 0 },
      { position: 101 },
      { position: 1.5 },
      { position: '1' },
      { position: 1, url: 'blog' },
      { position: 1, url: 'javascript:alert(1)' },
      { position: 1, checked_at: future },
      { position: 1, checked_at: '2026-01-01' },
      { position: 1, checked_at: '0001-01-01T00:00:00Z' },
      { position: 1, previous_position: 1 },
    ]) {
      const answer = await rank(id, body)
      expect([body, answer.status, answer.body.details?.[0].path]).toEqual([
        body,
        422,
        Object.keys(body).at(-1),
      ])
    }
    expect((await rank(id, {})).body.details[0].path).toBe('position')
    expect((await live.get(`/keywords/${id}/rankings`)).body.data).toEqual([])
  })

  test('a keyword with rankings stays the same search: only tracked and its case can change', async () => {
    const { id } = await newKeyword()
    await rank(id, { position: 5 })
    for (const change of [{ keyword: 'hot brew' }, { country: 'DE' }, { device: 'mobile' }])
      expect((await live.patch(`/keywords/${id}`, change)).body.error).toBe('CONFLICT')
    const same = { keyword: 'Cold Brew', country: 'US', device: 'desktop', tracked: false }
    expect((await live.patch(`/keywords/${id}`, same)).body.data).toMatchObject(same)
  })
})

/** [position, previous_position] of each keyword.ranked so far. */
const positions = async (id: string) =>
  (await eventsOf(id)).slice(1).map(({ data }) => [data.position, data.previous_position])

describe('whose they are', () => {
  test('test mode has its own, flagged, and neither mode nor another account sees them: 404', async () => {
    const keyword = await newKeyword({}, tester)
    expect(keyword.test_mode).toBe(true)
    expect((await rank(keyword.id, { position: 1 }, tester)).body.data.test_mode).toBe(true)
    const path = `/keywords/${keyword.id}`
    expect((await tester.get(`${path}/rankings`)).body.data).toHaveLength(1)
    const keywords = `/projects/${keyword.project_id}/keywords`
    for (const other of [live, stranger])
      for (const { status } of [
        await other.get(path),
        await other.patch(path, { tracked: false }),
        await other.delete(path),
        await other.get(`${path}/rankings`),
        await other.post(`${path}/rankings`, { position: 1 }),
        await other.get(keywords),
        await other.post(keywords, { keyword: 'k' }),
      ])
        expect(status).toBe(404)
    for (const id of ['kw_01kafz3v5tf4qrm8z3x9d2c7ne', 'nonsense'])
      expect((await live.get(`/keywords/${id}`)).status).toBe(404)
    expect((await tester.get(path)).body.data).toEqual({ ...keyword, latest_position: 1 })
  })

  test('a receiver gets keyword.created and keyword.ranked with exactly the members of the contract, each mode its own', async () => {
    const both = await startArden({ serve: true, worker: true })
    const events = ['keyword.created', 'keyword.ranked']
    for (const as of [await both.client(), await both.client({ mode: 'test' })]) {
      const receiver = startReceiver()
      await as.post('/webhooks', { url: receiver.url, events })
      const project = await newProject(as)
      const { body } = await as.post(`/projects/${project.id}/keywords`, { keyword: 'k' })
      await rank(body.data.id, { position: 2, checked_at: day(1) }, as)
      await until('both arrive', () => receiver.received.length === 2)
      const received = receiver.received.map(one => JSON.parse(one.body))
      const ids = { keyword_id: body.data.id, project_id: project.id, keyword: 'k' }
      const dataOf = (event: string) => received.find(one => one.event === event)?.data
      expect(dataOf('keyword.created')).toEqual(ids)
      expect(dataOf('keyword.ranked')).toEqual({
        ...ids,
        position: 2,
        previous_position: null,
        url: null,
        checked_at: day(1),
      })
      receiver.stop()
    }
    await both.stop()
  })
})
