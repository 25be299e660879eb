import { afterAll, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { quietPort } from '../support/network/quiet-ports'
import { until } from '../support/until'
import { finalDeliveries } from '../support/webhooks/webhooks'
import { addProgram, installPackage } from './installed'

/** packages/sdk/examples, each run with the package as it is published, and real deliveries. */
const EXAMPLES = join(import.meta.dir, '../../packages/sdk/examples')

const ends: (() => Promise<unknown>)[] = []

const arden = await useArden({ serve: true, worker: true })
const folder = await installPackage()
const live = await arden.client()
afterAll(async () => {
  await Promise.all(ends.map(end => end()))
  await rm(folder, { recursive: true, force: true })
})

type Environment = { runtime: 'node' | 'bun'; alias?: { [name: string]: string } }

/** The example as a program that listens on `port`, and what it has printed. */
const start = async (
  name: string,
  { runtime, alias = {} }: Environment,
  port: number,
  secret: string,
) => {
  const program = await addProgram(folder, join(EXAMPLES, `${name}.ts`), runtime, alias)
  const child = Bun.spawn([runtime, program], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      ARDEN_WEBHOOK_SECRET: secret,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  ends.push(async () => {
    child.kill()
    await child.exited
  })
  const printed: string[] = []
  const read = async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) printed.push(chunk)
  }
  read()
  const url = `http://127.0.0.1:${port}/hook`
  await until('it listens', () => fetch(url).then(Boolean, () => false))
  return { url, text: () => printed.join('') }
}

const EXPRESS_4 = { express: 'express-4' }

for (const [name, environment] of [
  ['elysia', { runtime: 'bun' }],
  ['hono', { runtime: 'bun' }],
  ['express', { runtime: 'node' }],
  ['express', { runtime: 'node', alias: EXPRESS_4 }],
] as [string, Environment][])
  describe(`the example of ${name}, ${JSON.stringify(environment)}`, () => {
    test('takes a delivery of Arden, typed, and responds 401 to one that is forged', async () => {
      const port = await quietPort()
      const url = `http://127.0.0.1:${port}/hook`
      const { data: hook } = (await live.post('/webhooks', { url, events: ['article.published'] }))
        .body
      const example = await start(name, environment, port, hook.secret)

      const { data: project } = (await live.post('/projects', { name: 'Blog' })).body
      const title = 'Zürich, 東京'
      const { data: article } = (
        await live.post('/articles', { project_id: project.id, title, status: 'PUBLISHED' })
      ).body
      const [{ id }] = await finalDeliveries(live, hook, 1)
      const delivery = (await live.get(`/webhooks/${hook.id}/deliveries/${id}`)).body.data
      expect(delivery).toMatchObject({ status: 'DELIVERED', http_status: 200, response_body: 'ok' })
      await until('it is printed', () => example.text().includes(article.id))
      expect(example.text()).toContain(`published: ${title} (${article.id})\n`)

      const { headers, body } = delivery.request
      const send = (text: string) => fetch(url, { method: 'POST', headers, body: text })
      expect((await send(body)).status).toBe(200)
      const forged = await send(body.replace(title, 'Genf'))
      expect([forged.status, await forged.text()]).toEqual([
        401,
        expect.stringContaining('The signature does not match this body'),
      ])

      // What anyone on the internet can send.
      const { 'content-type': _, ...signed } = headers
      for (const strange of [
        { headers: { 'content-type': 'text/plain' }, body: 'x' },
        { headers: { 'content-type': 'application/json' } },
        { headers: { 'content-type': 'application/json' }, body: '{' },
        { headers: signed },
        { headers: { ...signed, 'content-type': 'text/plain' }, body: 'x' },
      ])
        expect([strange, (await fetch(url, { method: 'POST', ...strange })).status]).toEqual([
          strange,
          401,
        ])
    })
  })
