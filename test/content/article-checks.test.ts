import { afterAll, expect, test } from 'bun:test'
import { createLinkCheck, LINKS_TIMEOUT_MS } from '../../src/content/checks/links'
import { createPost } from '../../src/webhooks/transport/post'
import { useContent } from '../support/content/content'

const { arden, live, newProject } = await useContent()

const received: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => {
    const { pathname } = new URL(request.url)
    received.push(pathname)
    if (pathname === '/gone') return new Response('', { status: 404 })
    if (pathname === '/moved') return Response.redirect('/ok', 301)
    if (pathname === '/loop') return Response.redirect('/loop', 302)
    if (pathname === '/get-only' && request.method === 'HEAD')
      return new Response('', { status: 405 })
    return new Response('ok')
  },
})
afterAll(() => server.stop(true))
const site = `http://127.0.0.1:${server.port}`

const TEXT =
  'Cold brew coffee is brewed with cold water over many hours. Grind the beans coarse, and wait for a day until it is done.'

const post = createPost({ timeoutMs: LINKS_TIMEOUT_MS })
const checkLinks = createLinkCheck({ post, rules: { allowPrivate: true } })

const check = async (id: string, query = '') => {
  const { status, body } = await live.get(`/articles/${id}/checks${query}`)
  expect(status).toBe(200)
  return body.data
}

test('GET /articles/<id>/checks has a code, a severity and a sentence for each check', async () => {
  const project = await newProject()
  const { id: keyword_id } = (
    await live.post(`/projects/${project.id}/keywords`, { keyword: 'cold brew' })
  ).body.data
  const article = { project_id: project.id, keyword_id, title: 'Cold brew', body: TEXT }
  const { id } = (await live.post('/articles', article)).body.data
  const first = await check(id)
  expect(first).toMatchObject({ article_id: id, version: 1 })
  expect(
    first.checks.map((one: { code: string; severity: string }) => [one.code, one.severity]),
  ).toEqual([
    ['language', 'ok'],
    ['headings', 'ok'],
    ['keyword', 'ok'],
    ['placeholder', 'ok'],
    ['similarity', 'ok'],
  ])
  const long = `${TEXT} ${Array.from({ length: 60 }, (_, n) => `step${n}`).join(' ')}`
  await live.patch(`/articles/${id}`, { body: long })
  await live.post('/articles', { ...article, title: 'Copied', body: `${long} And more.` })
  const { checks, version } = await check(id)
  expect(version).toBe(2)
  expect(checks.at(-1)).toEqual({
    code: 'similarity',
    severity: 'warning',
    message: expect.stringMatching(/^100 % of the text is also in “Copied” \(art_/),
  })
})

test('the length is compared with the brief of the project', async () => {
  const { id: project_id } = (
    await live.post('/projects', { name: 'Blog', brief: { length: 1_000 } })
  ).body.data
  const { id } = (await live.post('/articles', { project_id, title: 't', body: TEXT })).body.data
  expect((await check(id)).checks).toContainEqual({
    code: 'length',
    severity: 'warning',
    message: 'The text has 24 words; the brief asks for about 1000. Add to it.',
  })
})

test('the length is compared with the brief of the generation that wrote the article', async () => {
  const { id: project_id } = await newProject()
  const { id } = (await live.post('/articles', { project_id, title: 't', body: TEXT })).body.data
  const { accountId } = arden
  await arden.sql`
    INSERT INTO generations ${arden.sql({ id: 'gen_1', account_id: accountId, mode: 'live', project_id, keyword: 'k', length: 24 })}`
  const author = { type: 'generation', id: 'gen_1', name: 'Generation' }
  await arden.sql`UPDATE articles SET version_by = ${arden.sql.json(author)} WHERE id = ${id}`
  const lengthOf = async () =>
    (await check(id)).checks.find(({ code }: { code: string }) => code === 'length')
  expect(await lengthOf()).toMatchObject({ severity: 'ok' })
  await live.patch(`/articles/${id}`, { body: 'Much shorter.' })
  expect(await lengthOf()).toMatchObject({ severity: 'warning' })
})

test('links are requested only where that is asked for', async () => {
  const project = await newProject()
  const body = `[here](${site}/ok) and [gone](${site}/gone)`
  const { id } = (await live.post('/articles', { project_id: project.id, title: 't', body })).body
    .data
  const codes = ({ checks }: { checks: { code: string }[] }) => checks.map(({ code }) => code)
  expect(codes(await check(id))).not.toContain('links')
  expect(received).toHaveLength(0)
  expect((await check(id, '?links=true')).checks.at(-1)).toEqual({
    code: 'links',
    severity: 'warning',
    message: `Not reachable: ${site}/gone (status 404). Correct or remove them.`,
  })
})

test('follows redirects, asks again with GET, and gives up on a loop', async () => {
  const links = ['/ok', '/moved', '/get-only'].map(path => `${site}${path}`)
  expect(await checkLinks('a', links)).toMatchObject({ severity: 'ok' })
  const broken = await checkLinks('a', [`${site}/loop`, 'http://127.0.0.1:9/'])
  expect(broken?.message).toContain('/loop (more than 3 redirects)')
  expect(broken?.message).toContain('http://127.0.0.1:9/ (connection refused)')
})

test('connects to no private address, by any scheme', async () => {
  const before = received.length
  const checkPublic = createLinkCheck({ post, rules: { allowPrivate: false } })
  const result = await checkPublic('a', [`${site}/ok`, 'http://localhost/', 'https://10.0.0.1/'])
  expect(result?.severity).toBe('warning')
  expect(result?.message).toContain('is not public')
  expect(received.length).toBe(before)
})

test('checks the first 20 links, and says how many were left', async () => {
  const links = Array.from({ length: 23 }, (_, n) => `${site}/ok?${n}`)
  expect((await checkLinks('a', links))?.message).toBe(
    'All 20 links respond. 3 more were not checked.',
  )
})

test('is a 404 for an article of another account', async () => {
  const { id: project_id } = await newProject()
  const { id } = (await live.post('/articles', { project_id, title: 't' })).body.data
  const stranger = await arden.client({ accountId: await arden.newAccount() })
  expect((await stranger.get(`/articles/${id}/checks`)).status).toBe(404)
})
