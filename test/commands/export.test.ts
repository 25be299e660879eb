import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { filesOf } from '../support/content/exports'
import { runArden } from '../support/process'

/** `arden export`: articles as files of this machine. */

const arden = await useArden({ serve: true })
const { key } = await arden.key({ mode: 'test' })
const run = (...args: string[]) =>
  runArden(['export', ...args], { ARDEN_API_KEY: key, ARDEN_URL: arden.url })
const folder = await mkdtemp(join(tmpdir(), 'arden-export-'))
const inFolder = (name: string) => join(folder, name)

const api = await arden.client({ mode: 'test' })
const { id: project } = (await api.post('/projects', { name: 'Blog' })).body.data
const create = async (title: string): Promise<string> =>
  (await api.post('/articles', { project_id: project, title, body: `# ${title}` })).body.data.id
const [brew, tea] = [await create('Cold brew'), await create('Tea')]

test('writes a ZIP, and never over a file that exists', async () => {
  const out = inFolder('articles.zip')
  const first = await run('--project', project, '--out', out)
  expect([first.code, first.stdout, first.stderr]).toEqual([0, `2 articles in ${out}\n`, ''])
  const files = await filesOf(new Response(Bun.file(out)))
  expect(Object.keys(files)).toEqual(['tea.md', 'cold-brew.md'])
  const again = await run('--article', brew, '--out', out)
  expect([again.code, again.stderr]).toEqual([
    2,
    `arden: ${out} exists already, and nothing was written. Choose another --out.\n`,
  ])
  expect(await filesOf(new Response(Bun.file(out)))).toEqual(files)
})

test('writes a folder with a file for each article; when one of them exists, nothing', async () => {
  const out = inFolder('articles')
  const first = await run('--article', tea, '--format', 'html', '--out', out, '--json')
  expect(JSON.parse(first.stdout)).toEqual({ out, format: 'html', articles: 1 })
  expect(await readdir(out)).toEqual(['tea.html'])
  expect(await Bun.file(join(out, 'tea.html')).text()).toContain('<h1>Tea</h1>')
  const again = await run('--project', project, '--format', 'html', '--out', out)
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringContaining('tea.html exists already'),
  ])
  expect(await readdir(out)).toEqual(['tea.html'])
})

test('an empty --out, most often an empty variable, is wrong usage', async () => {
  const { code, stderr } = await run('--article', tea, '--out', '')
  expect([code, stderr]).toEqual([2, expect.stringContaining('It is empty')])
})

test('a path that cannot be written is an error with the next step', async () => {
  const { code, stderr } = await run('--article', tea, '--out', inFolder('no/such/folder.zip'))
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/folder\.zip cannot be written: .*\. Check that its folder exists/),
  ])
})

test('an error of the API, such as an unknown project, leaves no file behind', async () => {
  const out = inFolder('unknown.zip')
  for (const [option, id] of [
    ['--article', newId('art')],
    ['--project', newId('prj')],
    ['--keyword', newId('kw')],
  ] as const) {
    const { code, stderr } = await run(option, id, '--out', out)
    expect([code, stderr]).toEqual([4, expect.stringContaining(id)])
    expect(await Bun.file(out).exists()).toBe(false)
  }
})

test('a download that breaks off leaves no file behind', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-disposition': 'attachment; filename=articles.zip' })
    response.write('PK', () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const out of [inFolder('broken.zip'), inFolder('broken')]) {
    const { code, stderr } = await run('--out', out, '--url', `http://127.0.0.1:${port}`)
    expect([code, stderr]).toEqual([3, expect.stringContaining('The download broke off')])
    expect(await readdir(folder)).not.toContain(basename(out))
  }
  server.close()
})
