import { describe, expect, test } from 'bun:test'
import { useContent } from '../support/content/content'
import { person, sessionToken } from '../support/http/person'

const { arden, live, newProject, eventsOf } = await useContent()

const newArticle = async (body: object = {}) => {
  const { id: project_id } = await newProject()
  const article = { project_id, title: 'One', body: 'First text.', ...body }
  return (await live.post('/articles', article)).body.data.id as string
}

/** Changes an article as a user of the dashboard. */
const editor = async (email?: string) => {
  const send = person(arden.url, await sessionToken(arden, 'member', email))
  return (id: string, changes: object, headers: Record<string, string> = {}) =>
    send('PATCH', `/v1/articles/${id}`, changes, headers)
}

const versionsOf = async (id: string) => (await live.get(`/articles/${id}/versions`)).body.data
const versionOf = async (id: string, version: number) =>
  (await live.get(`/articles/${id}/versions/${version}`)).body.data
const textOf = async (id: string, version: number) => {
  const { title, body, meta_title, meta_description } = await versionOf(id, version)
  return [title, body, meta_title, meta_description]
}

describe('versions of an article', () => {
  test('each change of its text by an API key makes one, with its author and what it changed', async () => {
    const id = await newArticle()
    await live.patch(`/articles/${id}`, { body: 'Second text.' })
    await live.patch(`/articles/${id}`, { title: 'Three', meta_description: 'About it.' })
    await live.patch(`/articles/${id}`, { meta_description: null })
    const author = { type: 'key', id: expect.stringMatching(/^key_/), name: 'test' }
    expect(await versionsOf(id)).toEqual(
      [
        { version: 4, changed: ['meta_description'], is_current: true },
        { version: 3, changed: ['title', 'meta_description'], is_current: false },
        { version: 2, changed: ['body'], is_current: false },
        { version: 1, changed: [], is_current: false },
      ].map(one => ({
        ...one,
        article_id: id,
        author,
        restored_from: null,
        created_at: expect.any(String),
      })),
    )
    expect(await textOf(id, 1)).toEqual(['One', 'First text.', null, null])
    expect(await textOf(id, 2)).toEqual(['One', 'Second text.', null, null])
    expect(await textOf(id, 3)).toEqual(['Three', 'Second text.', null, 'About it.'])
    expect(await textOf(id, 4)).toEqual(['Three', 'Second text.', null, null])
    expect((await live.get(`/articles/${id}`)).body.data.version).toBe(4)
  })

  test('a change of status, slug or keyword, and one without a difference, makes none', async () => {
    const id = await newArticle()
    for (const changes of [{ status: 'PUBLISHED' }, { slug: 'other' }, { title: 'One' }])
      await live.patch(`/articles/${id}`, changes)
    expect(await versionsOf(id)).toHaveLength(1)
  })

  test('a field that did not change is stored once', async () => {
    const id = await newArticle({ body: 'x'.repeat(1_000) })
    for (const title of ['Two', 'Three']) await live.patch(`/articles/${id}`, { title })
    const rows = await arden.sql`SELECT body FROM article_versions WHERE article_id = ${id}`
    expect([...rows]).toEqual([{ body: null }, { body: null }])
    expect((await versionOf(id, 1)).body).toBe('x'.repeat(1_000))
  })

  test('saves of one user within five minutes are one version, which keeps what the one before had', async () => {
    const id = await newArticle()
    const ada = await editor()
    await ada(id, { body: 'Ada’s text.' })
    await ada(id, { body: 'Ada’s text, longer.' })
    await ada(id, { title: 'Ada’s title' })
    expect((await versionsOf(id)).map((one: { version: number }) => one.version)).toEqual([2, 1])
    expect((await versionsOf(id))[0].changed).toEqual(['title', 'body'])
    expect(await textOf(id, 1)).toEqual(['One', 'First text.', null, null])
    expect(await textOf(id, 2)).toEqual(['Ada’s title', 'Ada’s text, longer.', null, null])

    await arden.sql`
      UPDATE articles SET version_open_until = version_open_until - interval '5 minutes' WHERE id = ${id}`
    await ada(id, { body: 'Later.' })
    expect(await textOf(id, 2)).toEqual(['Ada’s title', 'Ada’s text, longer.', null, null])
    expect((await versionsOf(id))[0].version).toBe(3)
  })

  test('each text that was public is a version, with the time at which it became so', async () => {
    const id = await newArticle({ status: 'PUBLISHED' })
    const ada = await editor()
    for (const body of ['5 mg', '50 mg', '500 mg']) await ada(id, { body })
    await ada(id, { body: 'Withdrawn.', status: 'DRAFT' })
    for (const body of ['Draft.', 'Draft, longer.']) await ada(id, { body })
    const bodies = []
    for (const { version } of await versionsOf(id)) bodies.push((await versionOf(id, version)).body)
    expect(bodies).toEqual([
      'Draft, longer.',
      'Withdrawn.',
      '500 mg',
      '50 mg',
      '5 mg',
      'First text.',
    ])
  })

  test('what a later save of the same version takes back, it did not change', async () => {
    const id = await newArticle({ body: 'First text.' })
    const ada = await editor()
    await ada(id, { title: 'Two', body: 'First text, corrected.' })
    await ada(id, { body: 'First text.' })
    expect((await versionsOf(id))[0]).toMatchObject({ version: 2, changed: ['title'] })
    await ada(id, { title: 'One' })
    expect((await versionsOf(id))[0]).toMatchObject({ version: 2, changed: [] })
    await ada(id, { body: 'Another.' })
    expect((await versionsOf(id))[0]).toMatchObject({ version: 2, changed: ['body'] })
    expect(await textOf(id, 1)).toEqual(['One', 'First text.', null, null])
    expect(await textOf(id, 2)).toEqual(['One', 'Another.', null, null])
  })

  test('a save that replaces a text of the same user, saved elsewhere, is a version of its own', async () => {
    const id = await newArticle()
    const ada = await editor()
    await ada(id, { body: 'Of the phone.' })
    await ada(id, { body: 'Of the tablet.' }, { 'x-arden-new-version': '1' })
    await ada(id, { body: 'Of the tablet, longer.' })
    expect(await textOf(id, 2)).toEqual(['One', 'Of the phone.', null, null])
    expect((await versionsOf(id))[0].version).toBe(3)
  })

  test('saves of another user, after a publication or by an API key are versions of their own', async () => {
    const id = await newArticle()
    const [ada, ben] = [await editor(), await editor('ben@example.com')]
    await ada(id, { body: 'Ada’s.' })
    await ben(id, { body: 'Ben’s.' })
    await ben(id, { status: 'PUBLISHED' })
    await ben(id, { status: 'DRAFT', body: 'Ben’s again.' })
    await live.patch(`/articles/${id}`, { body: 'Of a program.' })
    const versions = await versionsOf(id)
    expect(versions.map((one: { author: { name: string } }) => one.author.name)).toEqual([
      'test',
      'ben@example.com',
      'ben@example.com',
      'member@example.com',
      'test',
    ])
    expect((await versionOf(id, 3)).body).toBe('Ben’s.')
  })

  test('the newest 100 replaced versions are kept', async () => {
    const id = await newArticle()
    for (let n = 2; n <= 104; n++) await live.patch(`/articles/${id}`, { body: `Text ${n}.` })
    const first = await live.get(`/articles/${id}/versions?limit=100`)
    const rest = await live.get(
      `/articles/${id}/versions?limit=100&cursor=${first.body.next_cursor}`,
    )
    const numbers = [...first.body.data, ...rest.body.data].map(({ version }) => version)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([101, 104, 4])
    expect(rest.body.next_cursor).toBeNull()
    // The version before it is not kept.
    expect(rest.body.data.at(-1).changed).toEqual([])
    expect((await live.get(`/articles/${id}/versions/3`)).status).toBe(404)
  })

  test('restoring one gives the article its text, as a new version with its number', async () => {
    const id = await newArticle({ meta_title: 'Meta' })
    await live.patch(`/articles/${id}`, { title: 'Two', body: 'Second text.', meta_title: null })
    const restored = await live.post(`/articles/${id}/versions/1/restore`)
    expect(restored.body.data).toMatchObject({
      title: 'One',
      body: 'First text.',
      meta_title: 'Meta',
      version: 3,
    })
    expect(restored.headers.get('etag')).toBe(
      (await live.get(`/articles/${id}`)).headers.get('etag'),
    )
    expect((await versionsOf(id))[0]).toMatchObject({ version: 3, restored_from: 1 })
    expect((await versionOf(id, 2)).body).toBe('Second text.')
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      event: 'article.updated',
      data: { changed: ['title', 'body', 'meta_title'] },
    })
    // Without a difference nothing happens.
    const events = (await eventsOf(id)).length
    expect((await live.post(`/articles/${id}/versions/1/restore`)).status).toBe(200)
    expect((await eventsOf(id)).length).toBe(events)
    expect(await versionsOf(id)).toHaveLength(3)
  })

  test('restoring with an earlier ETag is a 412 and changes nothing', async () => {
    const id = await newArticle()
    const etag = (await live.get(`/articles/${id}`)).headers.get('etag') ?? ''
    await live.patch(`/articles/${id}`, { body: 'Newer.' })
    const refused = await live.post(`/articles/${id}/versions/1/restore`, {}, { 'if-match': etag })
    expect([refused.status, refused.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await live.get(`/articles/${id}`)).body.data.body).toBe('Newer.')
  })

  test('one that does not exist, and those of another account, are a 404', async () => {
    const id = await newArticle()
    const stranger = await arden.client({ accountId: await arden.newAccount() })
    for (const version of ['0', '2', '01', 'x', '99999999999'])
      for (const response of [
        await live.get(`/articles/${id}/versions/${version}`),
        await live.post(`/articles/${id}/versions/${version}/restore`),
      ])
        expect([version, response.status]).toEqual([version, 404])
    for (const path of ['versions', 'versions/1'])
      expect((await stranger.get(`/articles/${id}/${path}`)).status).toBe(404)
    expect((await stranger.post(`/articles/${id}/versions/1/restore`)).status).toBe(404)
  })

  test('concurrent changes each keep what they replaced', async () => {
    const id = await newArticle()
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => live.patch(`/articles/${id}`, { body: `Text ${n}.` })),
    )
    const bodies = await Promise.all(
      Array.from({ length: 11 }, async (_, n) => (await versionOf(id, n + 1)).body),
    )
    expect(bodies.sort()).toEqual([
      'First text.',
      ...Array.from({ length: 10 }, (_, n) => `Text ${n}.`),
    ])
  })

  test('they are deleted with the article', async () => {
    const id = await newArticle()
    await live.patch(`/articles/${id}`, { body: 'Second.' })
    await live.delete(`/articles/${id}`)
    const left = async () =>
      (await arden.sql`SELECT FROM article_versions WHERE article_id = ${id}`).length
    expect(await left()).toBe(0)
  })
})
