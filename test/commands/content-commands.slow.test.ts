import { expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { runArden } from '../support/process'

/** Commands for keywords, generations and articles, with a server and no worker. */

const arden = await useArden({ serve: true })
const { key } = await arden.key()
const env = { ARDEN_API_KEY: key, ARDEN_URL: arden.url }
const api = await arden.client()
const folder = await mkdtemp(join(tmpdir(), 'arden-content-'))

const run = (...args: string[]) => runArden(args, env)
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect([args, code, stderr]).toEqual([args, 0, ''])
  return JSON.parse(stdout)
}
const newProject = async (): Promise<string> =>
  (await api.post('/projects', { name: 'Blog', domain: 'acme.com' })).body.data.id
const newKeyword = async (project: string, keyword: string): Promise<string> =>
  (await api.post(`/projects/${project}/keywords`, { keyword })).body.data.id

test('a keyword gets tags, others in their place, and none', async () => {
  const project = await newProject()
  const tags = ['--tag', 'brewing', '--tag', 'q3']
  const created = await json(
    ...['keywords', 'create', '--project', project, '--text', 'cold brew', ...tags],
  )
  expect(created.tags).toEqual(['brewing', 'q3'])
  const { stdout } = await run('keywords', 'list', '--project', project, '--tag', 'q3')
  expect(stdout).toMatch(/cold brew .* brewing, q3 /)
  const update = (...options: string[]) => json('keywords', 'update', created.id, ...options)
  expect((await update('--tag', 'q4')).tags).toEqual(['q4'])
  expect((await update('--no-tracked')).tags).toEqual(['q4'])
  expect((await update('--tag', '')).tags).toEqual([])
})

test('articles are generated for several keywords, with one brief, or for none', async () => {
  const project = await newProject()
  const ids = [await newKeyword(project, 'espresso'), await newKeyword(project, 'lungo')]
  const create = ['generations', 'create-many', '--project', project]
  const keywords = ids.flatMap(id => ['--keyword', id])
  const unknown = await run(...create, ...keywords, '--keyword', newId('kw'))
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('keyword_ids')])
  const wrong = await run(...create, ...keywords, '--require', 'beauty')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('placeholder')])
  expect((await api.get(`/generations?project_id=${project}`)).body.data).toEqual([])
  const brief = ['--tone', 'dry', '--require', 'placeholder', '--require', 'language']
  const { stdout } = await run(...create, ...keywords, ...brief)
  expect(stdout).toMatch(/QUEUED +espresso[\s\S]*QUEUED +lungo/)
  const { data } = (await api.get(`/generations?project_id=${project}`)).body
  expect(data).toMatchObject(
    ids.map(() => ({ tone: 'dry', required_checks: ['placeholder', 'language'] })),
  )
  const retried = await run('generations', 'retry', data[0].id)
  expect([retried.code, retried.stderr]).toEqual([4, expect.stringContaining('is QUEUED')])
})

test('a CSV file that was exported is imported as it was, formulas of spreadsheets included', async () => {
  const project = await newProject()
  const keywords = [
    { keyword: '=1+1', tags: ['brewing', 'q3'] },
    { keyword: 'say "cold, brew"', country: 'DE', device: 'mobile', tracked: false },
    { keyword: '-sugar +milk' },
  ]
  await api.post(`/projects/${project}/keywords/batch`, { keywords })
  const { stdout } = await run('keywords', 'export', '--project', project)
  expect(stdout).toContain("'=1+1")
  const unknown = await run('keywords', 'export', '--project', 'prj_01kafz3v5tf4qrm8z3x9d2c7ne')
  expect([unknown.code, unknown.stdout]).toEqual([4, ''])
  const file = join(folder, 'keywords.csv')
  await Bun.write(file, stdout)
  const copy = await newProject()
  const load = ['keywords', 'import', file, '--project', copy]
  expect(await json(...load, '--preview')).toMatchObject({ created: 3, preview: true, errors: [] })
  expect(await json(...load)).toMatchObject({ created: 3, existing: 0 })
  expect(await json(...load)).toMatchObject({ created: 0, existing: 3 })
  await Bun.write(file, 'keyword\nabeto\n')
  const spanish = await newProject()
  await json('keywords', 'import', file, '--project', spanish, '--country', 'es')
  expect((await api.get(`/projects/${spanish}/keywords`)).body.data[0].country).toBe('ES')
  const { data } = (await api.get(`/projects/${copy}/keywords`)).body
  expect(data).toHaveLength(3)
  for (const one of keywords) expect(data).toContainEqual(expect.objectContaining(one))
})

test('every error of a file that is refused is printed', async () => {
  const file = join(folder, 'all-wrong.csv')
  await Bun.write(file, `keyword,country\n${'cold brew,XX\n'.repeat(5)}`)
  const { stderr } = await run('keywords', 'import', file, '--project', await newProject())
  expect(stderr).toMatch(/^arden: These values are wrong:\n( {2}csv\.[2-6]\.country: .*\n){5}$/)
})

test('a file with an error in a line, or none, is not imported', async () => {
  const project = await newProject()
  const file = join(folder, 'wrong.csv')
  await Bun.write(file, 'keyword,country\ncold brew,US\nespresso,XX\n')
  const load = (path: string) => run('keywords', 'import', path, '--project', project)
  const [wrong, missing] = await Promise.all([load(file), load(`${file}.gone`)])
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('csv.3.country')])
  const preview = await run('keywords', 'import', file, '--project', project, '--preview')
  expect([preview.code, preview.stderr]).toEqual([4, expect.stringContaining('has errors')])
  expect(preview.stdout).toMatch(
    /^created +\d\n[\s\S]*\n\nerrors\nLINE +COLUMN +MESSAGE\n3 +country +\w/m,
  )
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/\.gone cannot be read: ENOENT: no such file/),
  ])
  // As Excel saves them: a ZIP file, larger than a request; the format before; text in UTF-16.
  const workbook = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(2 ** 20)])
  for (const [content, message] of [
    [workbook, 'This is an Excel workbook'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'This is an Excel workbook'],
    [Buffer.from('\uFEFFkeyword\nkaffee\n', 'utf16le'), 'The file is not UTF-8'],
    [Buffer.alloc(0), 'The file is empty'],
    [Buffer.from(`keyword\n${'x'.repeat(500_000)}`), 'more than 500,000 characters'],
  ] as const) {
    await Bun.write(file, content)
    const refused = await load(file)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect((await api.get(`/projects/${project}/keywords`)).body.data).toEqual([])
})

test('an article is scheduled, its versions are listed and restored, and it is checked', async () => {
  const project_id = await newProject()
  const article = { project_id, title: 'Cold brew', body: 'First.' }
  const { id } = (await api.post('/articles', article)).body.data
  const time = '2999-01-31T09:00:00.000Z'
  expect((await json('articles', 'schedule', id, time)).scheduled_at).toBe(time)
  await json('articles', 'update', id, '--body', 'TODO')
  const { stdout } = await run('articles', 'versions', id)
  expect(stdout.match(/^\d /gm)).toEqual(['2 ', '1 '])
  expect((await run('articles', 'check', id)).stdout).toMatch(/placeholder/)
  expect(await json('articles', 'restore', id, '1')).toMatchObject({ body: 'First.', version: 3 })
  expect((await run('articles', 'restore', id, '9')).code).toBe(4)
  expect((await json('articles', 'schedule', id, '')).scheduled_at).toBeNull()
})

test('a run of the rank tracking is requested and listed; one that can check nothing is refused', async () => {
  const project = await newProject()
  const refused = await run('projects', 'rank', project)
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('no tracked keyword')])
  expect((await run('projects', 'rank-runs', project)).stdout.trim()).toBe('No runs.')
  await newKeyword(project, 'cold brew')
  expect(await json('projects', 'rank', project)).toMatchObject({ status: 'QUEUED', keywords: 1 })
  const { stdout } = await run('projects', 'rank-runs', project)
  expect(stdout).toMatch(/^rrn_\w+ +manual +QUEUED +1 /m)
})
