import { expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { useContent } from '../support/content/content'
import { addLargeArticles, fetchApi, filesOf } from '../support/content/exports'

/** Articles as files (contract 6.17). */

const { arden, newProject } = await useContent()
const { key } = await arden.key()
const live = await arden.client()
const get = (path: string, as = key) => fetchApi(arden, as, path)

const { id: project } = await newProject()
const { id: keyword_id } = (
  await live.post(`/projects/${project}/keywords`, { keyword: 'cold brew', tags: ['q3'] })
).body.data
const create = async (body: object) =>
  (await live.post('/articles', { project_id: project, ...body })).body.data
const coffee = await create({
  title: 'Cold brew: <how>?',
  slug: 'cold-brew',
  keyword_id,
  body: '## Grind\n\nCoarse. <script>alert(1)</script> [x](javascript:alert(1))\n',
  meta_title: 'Cold & "slow"',
  meta_description: 'What you need.',
})
const tea = await create({ title: 'Tea', slug: 'Cold-Brew', status: 'PUBLISHED' })

test('an article is exported as Markdown with YAML front matter', async () => {
  const response = await get(`/articles/${coffee.id}/export`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'content-disposition': 'attachment; filename=cold-brew.md',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(await response.text()).toBe(`---
id: "${coffee.id}"
title: "Cold brew: <how>?"
slug: "cold-brew"
status: "DRAFT"
language: "en"
keyword: "cold brew"
tags: ["q3"]
meta_title: "Cold & \\"slow\\""
meta_description: "What you need."
created_at: "${coffee.created_at}"
updated_at: "${coffee.updated_at}"
---

${coffee.body}`)
})

test('an article is exported as an HTML document in which nothing runs', async () => {
  const response = await get(`/articles/${coffee.id}/export?format=html`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'attachment; filename=cold-brew.html',
    'cache-control': 'no-store',
  })
  expect(await response.text()).toBe(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src http: https:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cold &amp; &quot;slow&quot;</title>
<meta name="description" content="What you need.">
</head>
<body>
<article>
<h1>Cold brew: &lt;how&gt;?</h1>
<h2>Grind</h2>
<p>Coarse. &lt;script&gt;alert(1)&lt;/script&gt; <a>x</a></p>
</article>
</body>
</html>
`)
})

test('an HTML document in Hebrew or Arabic is read from right to left', async () => {
  for (const [language, begin] of [
    ['he', '<html lang="he" dir="rtl">'],
    ['ar-EG', '<html lang="ar-EG" dir="rtl">'],
    ['ur-Aran', '<html lang="ur-Aran" dir="rtl">'],
    ['el', '<html lang="el">'],
    // Tags that the API accepts, and that are no locale.
    ['zh-yue', '<html lang="zh-yue">'],
    ['he-abc', '<html lang="he-abc" dir="rtl">'],
  ] as const) {
    const { body } = await live.post('/projects', { name: language, language })
    const article = await live.post('/articles', { project_id: body.data.id, title: 'ת' })
    const response = await get(`/articles/${article.body.data.id}/export?format=html`)
    expect(await response.text()).toContain(begin)
  }
})

test('the title is the first heading of an HTML document, once', async () => {
  const heading = /<article>\n<h1>.*<\/h1>/
  for (const [title, body, first] of [
    ['Rules & ropes', '# Before you go\n\nx', 'Rules &amp; ropes'],
    ['Rules & ropes', '# Rules *& ropes*\n\nx', 'Rules <em>&amp; ropes</em>'],
    ['Rules', '## Rules\n\nx', 'Rules'],
  ] as const) {
    const { id } = await create({ title, body })
    const html = await (await get(`/articles/${id}/export?format=html`)).text()
    expect(heading.exec(html)?.[0]).toBe(`<article>\n<h1>${first}</h1>`)
    await live.delete(`/articles/${id}`)
  }
})

test('articles are exported as a ZIP, by project, filter and ids, each in a file of its own', async () => {
  const response = await get(`/articles/export?project_id=${project}`)
  expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
    200,
    {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename=articles.zip',
      'cache-control': 'no-store',
    },
  ])
  const files = await filesOf(response)
  expect(Object.keys(files)).toEqual(['Cold-Brew.md', 'cold-brew-2.md'])
  expect(files['cold-brew-2.md']).toBe(await (await get(`/articles/${coffee.id}/export`)).text())

  const namesOf = async (query: string) =>
    Object.keys(await filesOf(await get(`/articles/export${query}`)))
  expect(await namesOf('?format=html&status=PUBLISHED')).toEqual(['Cold-Brew.html'])
  expect(await namesOf('?search=brew%3A')).toEqual(['cold-brew.md'])
  expect(await namesOf(`?keyword_id=${keyword_id}`)).toEqual(['cold-brew.md'])
  expect(await namesOf(`?ids=${coffee.id},${coffee.id}`)).toEqual(['cold-brew.md'])
  expect(await namesOf(`?ids=${tea.id},${coffee.id}`)).toEqual(['Cold-Brew.md', 'cold-brew-2.md'])
  expect(await namesOf(`?created_before=2020-01-01T00:00:00Z`)).toEqual([])
})

test('more articles than one read has are all in the ZIP, newest first', async () => {
  const { id } = await newProject()
  const rows = Array.from({ length: 1_234 }, (_, n) => ({
    id: newId('art'),
    title: `t${n}`,
    slug: `s${n}`,
  }))
  await arden.sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT r.id, p.account_id, p.mode, p.id, r.title, r.slug, '', 'DRAFT'
    FROM projects p, jsonb_to_recordset(${arden.sql.json(rows)}) AS r(id text, title text, slug text)
    WHERE p.id = ${id}`
  const files = await filesOf(await get(`/articles/export?project_id=${id}`))
  expect(Object.keys(files)).toEqual(rows.map(({ slug }) => `${slug}.md`).reverse())
})

test('HEAD responds with the headers of the file', async () => {
  for (const path of [`/articles/${coffee.id}/export`, '/articles/export']) {
    const [head, whole] = [await fetchApi(arden, key, path, { method: 'HEAD' }), await get(path)]
    await whole.arrayBuffer()
    for (const name of ['content-type', 'content-disposition', 'cache-control'])
      expect([path, name, head.headers.get(name)]).toEqual([path, name, whole.headers.get(name)])
    expect(await head.text()).toBe('')
  }
})

test('articles of another account, of the other mode and of a deleted project are not exported', async () => {
  const other = await arden.key({ accountId: await arden.newAccount() })
  const inTest = await arden.key({ mode: 'test' })
  for (const { key } of [other, inTest]) {
    expect((await get(`/articles/${coffee.id}/export`, key)).status).toBe(404)
    expect((await get(`/articles/export?ids=${coffee.id}`, key)).status).toBe(404)
    expect(await filesOf(await get(`/articles/export?project_id=${project}`, key))).toEqual({})
    expect(await filesOf(await get('/articles/export', key))).toEqual({})
  }
  const { id: deleted } = await newProject()
  const { id } = (await live.post('/articles', { project_id: deleted, title: 't' })).body.data
  await live.delete(`/projects/${deleted}`)
  expect((await get(`/articles/${id}/export`)).status).toBe(404)
  expect((await get(`/articles/export?ids=${id}`)).status).toBe(404)
})

test('a key that may only read articles may export them', async () => {
  const reader = await arden.key({ scopes: ['read'] })
  expect((await get(`/articles/${coffee.id}/export`, reader.key)).status).toBe(200)
  expect((await get(`/articles/export?ids=${coffee.id}`, reader.key)).status).toBe(200)
})

test('refuses an unknown format, unknown ids and more ids than fit into a request', async () => {
  const wrong = async (query: string) => {
    const { status, body } = await live.get(`/articles/export${query}`)
    return [status, body.details?.[0]?.path ?? body.error]
  }
  expect(await wrong('?format=pdf')).toEqual([422, 'format'])
  const ids = Array.from({ length: 301 }, () => newId('art'))
  expect(await wrong(`?ids=${ids.join(',')}`)).toEqual([422, 'ids'])
  expect(await wrong(`?ids=${coffee.id},nonsense`)).toEqual([404, 'NOT_FOUND'])
  expect((await live.get('/articles/nonsense/export')).status).toBe(404)
})

test('refuses more than 10,000 articles, and more than 128 MiB of text, before anything is sent', async () => {
  const { id: many } = await newProject()
  await arden.sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT 'art_' || lpad(n::text, 26, '0'), p.account_id, p.mode, p.id, 't', 't', '', 'DRAFT'
    FROM projects p, generate_series(1, 10001) n WHERE p.id = ${many}`
  const { status, body } = await live.get(`/articles/export?project_id=${many}`)
  expect([status, body.error]).toEqual([409, 'CONFLICT'])
  expect(body.message).toStartWith('More than 10000 articles match')
  const { id: large } = await newProject()
  await addLargeArticles(arden, { project: large, count: 129, bytes: 1024 ** 2 })
  const refused = await live.get(`/articles/export?project_id=${large}`)
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'The articles that match have 129 MiB of text, and a ZIP has at most 128 MiB. Narrow the filter, for example with created_after and created_before.',
  ])
})
