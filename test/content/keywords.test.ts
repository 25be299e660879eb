import { describe, expect, test } from 'bun:test'
import { startArden } from '../support/arden'
import { day, useContent } from '../support/content/content'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

const { arden, live, newProject, newKeyword, rank, eventsOf } = await useContent()
const tester = await arden.client({ mode: 'test' })
const stranger = await arden.client({ accountId: await arden.newAccount() })

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
      position_change: null,
      latest_checked_at: null,
      tags: [],
      test_mode: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    })
    const path = `/keywords/${keyword.id}`
    expect((await live.get(path)).body.data).toEqual(keyword)
    const changes = { tracked: false, country: 'DE', device: 'mobile', keyword: 'kalter Kaffee' }
    const changed = (await live.patch(path, changes)).body.data
    expect(changed).toEqual({ ...keyword, ...changes, updated_at: changed.updated_at })
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

  test('unique within a project for each country and device, whatever its case or white space: 409 naming the duplicate', async () => {
    const { id } = await newProject()
    const add = (body: object) => live.post(`/projects/${id}/keywords`, body)
    const first = (await add({ keyword: '  Crème\u00a0 Brûlée ' })).body.data
    expect(first.keyword).toBe('Crème Brûlée')
    const duplicate = await add({ keyword: 'crème brûlée', tracked: false })
    expect([duplicate.status, duplicate.body.error]).toEqual([409, 'CONFLICT'])
    expect(duplicate.body.message).toContain(first.id)
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
    for (const [one, duplicate] of [
      ['οδος', 'οδοσ'],
      ['straße', 'STRASSE'],
      ['ﬁnden', 'FINDEN'],
      ['ÅNGSTRÖM', 'a\u030angstro\u0308m'],
      ["chaussures d'été", 'Chaussures d’été'],
    ] as const)
      expect([one, await add(one), await add(duplicate)]).toEqual([one, 201, 409])
    const { keyword } = (
      await live.post(`/projects/${id}/keywords`, { keyword: 'Vikinga\u00adtida silver\u200bskål' })
    ).body.data
    expect([keyword, await add('vikingatida silverskål')]).toEqual(['Vikingatida silverskål', 409])
    expect([await add('kız'), await add('kiz')]).toEqual([201, 201])
    expect([await add('İĞNE'), await add('iğne'), await add('İğne')]).toEqual([201, 409, 409])
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
    expect((await live.patch(`/keywords/${id}`, { keyword: 'STRASSE' })).status).toBe(200)
  })

  test('one with a soft hyphen, from before these were removed, stays the same search without it', async () => {
    const { id } = await newKeyword({ keyword: 'vikingatida' })
    await rank(id, { position: 1 })
    const before = 'vikinga\u00adtida'
    await arden.sql`UPDATE keywords SET keyword = ${before}, folded = ${before} WHERE id = ${id}`
    expect((await live.patch(`/keywords/${id}`, { keyword: 'Vikingatida' })).status).toBe(200)
  })

  test('one folded by an older rule can change beside its duplicate of today', async () => {
    const { id, project_id } = await newKeyword({ keyword: 'straße' })
    await arden.sql`UPDATE keywords SET folded = 'straße' WHERE id = ${id}`
    const { status } = await live.post(`/projects/${project_id}/keywords`, { keyword: 'STRASSE' })
    expect(status).toBe(201)
    expect((await live.patch(`/keywords/${id}`, { tracked: false })).status).toBe(200)
  })

  test('of many concurrent requests to add a keyword, one succeeds and the others get its id', async () => {
    const { id } = await newProject()
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => live.post(`/projects/${id}/keywords`, { keyword: 'k' })),
    )
    const made = responses.filter(response => response.status === 201)
    expect(made).toHaveLength(1)
    for (const response of responses.filter(response => response.status !== 201)) {
      expect(response.status).toBe(409)
      expect(response.body.message).toContain(made[0]?.body.data.id)
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
      const response = await live.post(`/projects/${id}/keywords`, body)
      expect([body, response.status, response.body.details?.[0].path]).toEqual([
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
    const responses = [await live.post('/articles', { ...article, keyword_id: other.id })]
    await live.delete(`/keywords/${keyword.id}`)
    responses.push(await live.post('/articles', article))
    for (const { status, body } of responses)
      expect([status, body.details[0].path]).toEqual([422, 'keyword_id'])
  })
})

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
    expect((await tester.get(path)).body.data).toEqual({
      ...keyword,
      latest_position: 1,
      latest_checked_at: expect.any(String),
      updated_at: expect.any(String),
    })
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
