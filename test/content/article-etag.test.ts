import { describe, expect, test } from 'bun:test'
import { useContent } from '../support/content/content'

const { live, newProject } = await useContent()

const newArticle = async () => {
  const { id } = await newProject()
  const created = await live.post('/articles', { project_id: id, title: 'First' })
  return `/articles/${created.body.data.id}`
}
const etagOf = async (path: string) => (await live.get(path)).headers.get('etag') ?? ''

describe('the ETag of an article', () => {
  test('updated_at is the time of the last change, and created_at before it', async () => {
    const path = await newArticle()
    const created = (await live.get(path)).body.data
    expect(created.updated_at).toBe(created.created_at)
    const changed = (await live.patch(path, { title: 'Second' })).body.data
    expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(created.updated_at))
    const [listed] = (await live.get('/articles')).body.data
    expect(listed.updated_at).toBe(changed.updated_at)
  })

  test('a PATCH with the ETag of the read is executed, and responds with the next ETag', async () => {
    const path = await newArticle()
    const first = await etagOf(path)
    const changed = await live.patch(path, { title: 'Second' }, { 'if-match': first })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(first)
    expect(changed.headers.get('etag')).toBe(await etagOf(path))
  })

  test('a PATCH with an earlier ETag is a 412 and changes nothing', async () => {
    const path = await newArticle()
    const first = await etagOf(path)
    await live.patch(path, { body: 'Newer' })
    const refused = await live.patch(path, { body: 'Older' }, { 'if-match': first })
    expect([refused.status, refused.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await live.get(path)).body.data.body).toBe('Newer')
    for (const header of ['nonsense', '"nonsense"', ''])
      expect((await live.patch(path, { body: 'Older' }, { 'if-match': header })).status).toBe(412)
  })

  test('a DELETE with an earlier ETag is a 412 and deletes nothing', async () => {
    const path = await newArticle()
    const first = await etagOf(path)
    await live.patch(path, { body: 'Newer' })
    const refused = await live.delete(path, { 'if-match': first })
    expect([refused.status, refused.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    const current = await etagOf(path)
    expect((await live.delete(path, { 'if-match': current })).status).toBe(200)
  })

  test('a weak tag, one of several tags and * match', async () => {
    const path = await newArticle()
    for (const write of [
      (etag: string) => `W/${etag}`,
      (etag: string) => `"other", ${etag}`,
      () => '*',
    ]) {
      const ifMatch = write(await etagOf(path))
      expect((await live.patch(path, { body: ifMatch }, { 'if-match': ifMatch })).status).toBe(200)
    }
  })

  test('of two concurrent changes of one version only one is made', async () => {
    const path = await newArticle()
    const etag = await etagOf(path)
    const responses = await Promise.all(
      ['a', 'b'].map(body => live.patch(path, { body }, { 'if-match': etag })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})
