import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { runArden } from '../support/process'

/** Generations on the command line, with a worker that writes them. */

const arden = await useArden({ serve: true, worker: true })
const { key } = await arden.key({ mode: 'test' })
const run = (...args: string[]) =>
  runArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url, NO_COLOR: '1' })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

const { id: project } = await json('projects', 'create', '--name', 'Blog')
const { id: keyword } = await json(
  ...['keywords', 'create', '--project', project, '--text', 'cold brew'],
)
const generate = (...options: string[]) => json('generate', '--keyword', keyword, ...options)

test('a generation is shown with a line for each step, and no text of them', async () => {
  const headings = ['--heading', 'Grind', '--heading', 'Wait']
  const { id } = await generate(...headings)
  const { stdout } = await run('generations', 'show', id)
  expect(stdout).toMatch(/^status +COMPLETED$/m)
  expect(stdout).toMatch(/\n\nsteps\nSTEP +HEADING +STATUS +MODEL +INPUT +OUTPUT +FINISHED\n/)
  expect(stdout).toMatch(/^section +Grind +COMPLETED .*Z$/m)
  expect(stdout.match(/^(outline|section|assembly|metadata|checks) .*Z$/gm)).toHaveLength(7)
  expect(stdout).not.toMatch(/[{}"]/)
})

test('a generation is named before the wait, which goes on while the server is away', async () => {
  let reads = 0
  const forward = async (request: Request) => {
    // A proxy whose Arden restarts, then one that is restarted itself.
    if (request.method === 'GET' && ++reads === 1) return new Response('', { status: 502 })
    if (reads === 2) {
      void proxy.stop(true).then(() => {
        proxy = start(Number(port))
      })
      return new Promise<Response>(() => {})
    }
    const { pathname } = new URL(request.url)
    return fetch(`${arden.url}${pathname}`, {
      method: request.method,
      headers: request.headers,
      ...(request.method === 'POST' && { body: await request.text() }),
    })
  }
  const start = (port: number) => Bun.serve({ port, hostname: '127.0.0.1', fetch: forward })
  let proxy = start(0)
  const { port } = proxy
  const url = `http://127.0.0.1:${port}`
  const result = await run('generate', '--keyword', keyword, '--json', '--url', url)
  const { id, status } = JSON.parse(result.stdout)
  expect([result.code, status]).toEqual([0, 'COMPLETED'])
  expect(result.stderr).toStartWith(`${id} is queued. Ctrl-C ends the wait, not the generation.\n`)
  expect(result.stderr).toContain('a proxy responded with 502')
  expect(reads).toBeGreaterThan(2)
  await proxy.stop(true)
})

test('a wait that a rate limit refuses for longer than two minutes ends with the reason', async () => {
  const proxy = Bun.serve({
    port: 0,
    fetch: request =>
      request.method === 'POST'
        ? Response.json({ data: { id: 'gen_x', status: 'QUEUED' } }, { status: 202 })
        : Response.json(
            { error: 'TOO_MANY_REQUESTS', message: 'Too many requests.' },
            { status: 429, headers: { 'retry-after': '3600' } },
          ),
  })
  const result = await run('generate', '--keyword', keyword, '--url', proxy.url.href)
  expect(result).toMatchObject({ code: 4, stdout: '' })
  expect(result.stderr).toMatch(/^gen_x is queued\. .*\narden: Too many requests\.\n$/)
  await proxy.stop(true)
})

test('why a generation failed is shown as a code and a message', async () => {
  const { id } = await generate('--instructions', 'fail: provider_refused')
  const { stdout } = await run('generations', 'show', id)
  expect(stdout).toMatch(/^error\.code +provider_refused\nerror\.message +\w.*\.$/m)
  expect(stdout).toMatch(/^outline +FAILED +- /m)
})
