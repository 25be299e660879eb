import { expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { logEntryOf } from '../support/http/request-log'
import { runArden } from '../support/process'

/** Commands of the API's records against a real server; test/commands/cli-json.slow.test.ts runs all of them. */

const arden = await useArden({ serve: true })
const { key } = await arden.key({ mode: 'test' })
const reader = await arden.key({ mode: 'test', scopes: ['read'] })
const env = { ARDEN_API_KEY: key, ARDEN_URL: arden.url }

const run = (...args: string[]) => runArden(args, env)

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect([args, code, stderr]).toEqual([args, 0, ''])
  return JSON.parse(stdout)
}

const api = await arden.client({ mode: 'test' })
const project = (await api.post('/projects', { name: 'Blog', domain: 'acme.com' })).body.data.id
const inProject = ['--project', project]
const { id: keyword } = await json('keywords', 'create', ...inProject, '--text', 'cold brew')

test('an empty value removes a member, and an option that is absent changes none', async () => {
  const [changed, nothing] = await Promise.all([
    json('projects', 'update', project, '--domain', ''),
    run('projects', 'update', project),
  ])
  expect(changed).toMatchObject({ name: 'Blog', domain: null })
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Nothing to change')])
})

test('show prints a line for each member, and list a table', async () => {
  const [shown, listed] = await Promise.all([
    run('projects', 'show', project),
    run('keywords', 'list', ...inProject, '--search', 'COLD'),
  ])
  expect(shown.stdout).toMatch(/^name +Blog$/m)
  expect(listed.stdout).toMatch(/^ID +KEYWORD +COUNTRY/)
  expect(listed.stdout).toMatch(new RegExp(`^${keyword} +cold brew +US +desktop +yes`, 'm'))
})

test('the text of an article comes from a file, is shown as it is, and the article is published', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'arden-article-')), 'text.md')
  await Bun.write(file, '# Cold brew\n\nGrind first.')
  const { id } = await json(
    ...['articles', 'create', '--project', project, '--title', 'Cold brew', '--body-file', file],
  )
  const { stdout } = await run('articles', 'show', id)
  expect(stdout).toEndWith('\nbody\n# Cold brew\n\nGrind first.\n')
  expect((await json('articles', 'publish', id)).status).toBe('PUBLISHED')
  const published = await json('articles', 'list', '--status', 'published')
  expect(published.map((one: { id: string }) => one.id)).toEqual([id])
  const [both, missing] = await Promise.all([
    run('articles', 'update', id, '--body', 'x', '--body-file', file),
    run('articles', 'update', id, '--body-file', `${file}.gone`),
  ])
  expect([both.code, missing.code]).toEqual([2, 2])
})

test('a file that is not UTF-8 is refused, instead of an article without its letters', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-article-'))
  const create = (name: string, bytes: Uint8Array) =>
    Bun.write(join(folder, name), bytes).then(() =>
      run(
        'articles',
        'create',
        '--project',
        project,
        '--title',
        name,
        '--json',
        '--body-file',
        join(folder, name),
      ),
    )
  const text = '# Café crème\n'
  const latin1 = await create('latin1.md', Buffer.from(text, 'latin1'))
  expect([latin1.code, latin1.stdout]).toEqual([2, ''])
  expect(latin1.stderr).toContain('is not UTF-8')
  expect((await api.get('/articles?search=latin1')).body.data).toEqual([])
  for (const [name, bytes] of [
    ['utf8.md', Buffer.from(`\uFEFF${text}`)],
    ['utf16.md', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ] as const)
    expect(JSON.parse((await create(name, bytes)).stdout).body).toBe(text)
})

test('an exported file goes back without its front matter, and not into another article', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-export-'))
  const body = '---\n\nGrind first.\n'
  const create = (title: string) =>
    json('articles', 'create', '--project', project, '--title', title, '--body', body)
  const [mine, other] = [await create('Mine'), await create('Other')]
  await run('export', '--article', mine.id, '--out', folder)
  const file = join(folder, `${mine.slug}.md`)
  await Bun.write(
    file,
    (await Bun.file(file).text()).replace('Grind', 'Boil').replaceAll('\n', '\r\n'),
  )
  const update = (id: string) => run('articles', 'update', id, '--json', '--body-file', file)
  const { code, stdout, stderr } = await update(mine.id)
  expect([code, JSON.parse(stdout).body]).toEqual([
    0,
    body.replace('Grind', 'Boil').replaceAll('\n', '\r\n'),
  ])
  expect(stderr).toContain('front matter')
  const wrong = await update(other.id)
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain(mine.id)
})

test('list reads several pages', async () => {
  for (const n of Array.from({ length: 101 }).keys())
    await api.post('/articles', { project_id: project, title: `Page ${n}` })
  const several = await run('articles', 'list', '--limit', '101', '--json')
  expect(JSON.parse(several.stdout)).toHaveLength(101)
  const shown = await run('articles', 'list', '--json')
  expect(JSON.parse(shown.stdout)).toHaveLength(20)
  expect(shown.stderr).toBe('There are more. --limit shows up to 10,000.\n')
  const all = await run('articles', 'list', '--limit', '10000', '--json')
  expect([JSON.parse(all.stdout).length > 101, all.stderr]).toEqual([true, ''])
})

test.each([
  ['articles', '--project', 'prj'],
  ['articles', '--keyword', 'kw'],
  ['generations', '--project', 'prj'],
  ['deliveries', '--webhook', 'wh'],
])(
  '%s list %s of a record that does not exist here is an error, not an empty list',
  async (records, option, prefix) => {
    const id = `${prefix}_01kafz3v5tf4qrm8z3x9d2c7ne`
    const { code, stdout, stderr } = await run(records, 'list', option, id, '--json')
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(id)
  },
)

test('a list that a filter leaves empty is one', async () => {
  expect(await json('articles', 'list', '--project', project, '--search', 'nowhere')).toEqual([])
})

test('a generation is queued and cancelled, and the second cancellation is refused', async () => {
  const { id } = await json('generations', 'create', '--keyword', keyword)
  expect((await json('generations', 'cancel', id)).status).toBe('CANCELLED')
  const again = await run('generations', 'cancel', id)
  expect([again.code, again.stdout]).toEqual([4, ''])
})

test('a ranking is recorded, also as not found', async () => {
  const [ranked, wrong] = await Promise.all([
    json('keywords', 'rank', keyword, '--position', 'none'),
    run('keywords', 'rank', keyword, '--position', 'first'),
  ])
  expect([ranked.position, wrong.code]).toEqual([null, 2])
  expect((await run('keywords', 'rankings', keyword)).stdout).toMatch(/Z +none$/m)
})

test('the secret of a new webhook is shown once; it is paused, and tested', async () => {
  const created = await run(
    ...['webhooks', 'create', '--endpoint', arden.url, '--events', '*'],
    ...['--header', 'Authorization: Bearer x', '--header', 'X-Team: blog'],
  )
  expect(created.stdout).toMatch(/^secret +[0-9a-f]{64}$/m)
  const [{ id, events, headers }] = await json('webhooks', 'list')
  expect([events, Object.keys(headers).sort()]).toEqual([['*'], ['Authorization', 'X-Team']])
  expect((await json('webhooks', 'pause', id)).paused).toBe(true)
  const [changed, wrong, twice] = await Promise.all([
    json('webhooks', 'update', id, '--header', 'X-Team: shop', '--remove-header', 'Authorization'),
    run('webhooks', 'update', id, '--header', 'X-Team'),
    run('webhooks', 'update', id, '--header', 'X-Team: a', '--header', 'X-Team: b'),
  ])
  const types = ['article.created', 'article.deleted', 'article.published']
  const each = [types.slice(0, 2).join(), ...types].flatMap(one => ['--events', one])
  const chosen = await json('webhooks', 'update', id, ...each)
  expect(chosen.events).toEqual(types)
  expect([Object.keys(changed.headers), wrong.code]).toEqual([['X-Team'], 2])
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('X-Team is there twice')])
  const [listed, shown, tested] = await Promise.all([
    run('webhooks', 'list'),
    run('webhooks', 'show', id),
    json('webhooks', 'test', id, '--event', 'article.deleted'),
  ])
  expect(listed.stdout).toMatch(/ paused /)
  expect(shown.stdout).not.toContain('secret')
  expect(tested).toMatchObject({ event: 'article.deleted', test: true })
})

test('a delivery that has not arrived shows when its next attempt is, and what it waits for', async () => {
  const created = ['webhooks', 'create', '--endpoint', arden.url, '--events', '*']
  const { id: webhook } = await json(...created)
  const { id } = await json('webhooks', 'test', webhook)
  const list = async () => (await run('deliveries', 'list', '--webhook', webhook)).stdout
  // The time is over: no worker runs here.
  expect(await list()).toMatch(new RegExp(`^${id} +RETRYING .* 0 +due `, 'm'))
  const { stdout } = await run('deliveries', 'show', id)
  expect(stdout).toMatch(/^Now: no worker is running\. It is sent when/m)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await arden.sql`UPDATE deliveries SET next_attempt_at = ${later} WHERE id = ${id}`
  expect(await list()).toMatch(new RegExp(`^${id} +RETRYING .* 0 +${later} `, 'm'))
})

test('a delivery that failed shows why, and what to do', async () => {
  const created = ['webhooks', 'create', '--endpoint', arden.url, '--events', 'article.created']
  const { id: webhook } = await json(...created)
  await json('webhooks', 'disable', webhook)
  await json('articles', 'create', ...inProject, '--title', 'Not received')
  const [{ id }] = await json('deliveries', 'list', '--webhook', webhook)
  const { stdout } = await run('deliveries', 'show', id)
  expect(stdout).toContain(' FAILED ')
  expect(stdout).toMatch(
    /^To do: The webhook was disabled at that time\. Enable it, if it still is\. Then redeliver it\.$/m,
  )
})

test('a domain is written and read in its own letters, and has those of DNS in the API', async () => {
  const created = await json('projects', 'create', '--name', 'Alpen', '--domain', 'Gipfelglück.de')
  expect(created.domain).toBe('xn--gipfelglck-heb.de')
  expect((await run('projects', 'list')).stdout).toContain(' gipfelglück.de ')
})

test('a project is deleted with --yes only', async () => {
  const { id } = await json('projects', 'create', '--name', 'Old', '--domain', 'old.com')
  const refused = await run('projects', 'delete', id)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')])
  expect(await json('projects', 'delete', id, '--yes')).toEqual({ id, deleted: true })
})

test('a key without the scope is refused with exit code 4 and the name of the scope', async () => {
  const { code, stderr } = await runArden(['projects', 'create', '--name', 'x'], {
    ...env,
    ARDEN_API_KEY: reader.key,
  })
  expect([code, stderr]).toEqual([4, expect.stringContaining('write')])
})

test('requests lists those that failed', async () => {
  const { id, request_id } = await logEntryOf(api, await api.get('/nothing'))
  const [found, shown] = await Promise.all([
    json('requests', 'list', '--request-id', request_id),
    run('requests', 'list', '--status', '404'),
  ])
  expect(found).toMatchObject([{ id, status: 404, path: '/api/public/v1/nothing' }])
  expect(shown.stdout).toContain(id)
  expect(await json('requests', 'show', id)).toEqual(found[0])
})

test('a refused URL of a webhook is named as its option, because --url is that of the API', async () => {
  const created = ['webhooks', 'create', '--endpoint', 'ftp://example.com', '--events', '*']
  const { code, stderr } = await run(...created)
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^arden: --endpoint: must start with https:\/\/, or/),
  ])
})
