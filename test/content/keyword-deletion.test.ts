import { describe, expect, test } from 'bun:test'
import { useContent } from '../support/content/content'
import { finishDeletions } from '../support/content/deletions'

const { arden, live, newKeyword, rank, eventsOf } = await useContent()

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
