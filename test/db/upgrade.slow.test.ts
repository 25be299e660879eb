import { afterAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { checkOut, previousVersion } from '../support/db/previous-version'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** docs/operations.md, "Upgrade": the schema is new while serve and worker are still the previous version. */

const previous = await previousVersion()
if (previous === undefined)
  process.stderr.write(
    'Skipped: the upgrade from the previous version. Either the schema has not changed since the baseline, or the git history here does not have it; in a full clone: bun run test test/db/upgrade.slow.test.ts\n',
  )

let dir: string
const running: { kill(signal: NodeJS.Signals): Promise<number> }[] = []
afterAll(async () => {
  await Promise.all(running.map(process => process.kill('SIGKILL')))
  if (previous !== undefined) await rm(dir, { recursive: true })
})
const receiver = useReceiver()
const arden = await useArden({})
if (previous !== undefined) dir = await checkOut(previous)

const spawn = async (version: 'previous' | 'new', role: 'serve' | 'worker') => {
  // The previous version's workflows are its own.
  const { ARDEN_WORKFLOW_BUNDLE: bundle = '', ...env } = arden.env
  const process = await (version === 'new'
    ? spawnArden(role, { ...env, ARDEN_WORKFLOW_BUNDLE: bundle })
    : spawnArden(role, env, { program: [globalThis.process.execPath, join(dir, 'src/main.ts')] }))
  running.push(process)
  return process
}

test.skipIf(previous === undefined)(
  'serve and worker of the previous version work on the new schema, alone and beside new ones',
  async () => {
    const { key } = await arden.key()
    const call = async (serve: { url: string }, method: string, path: string, body?: unknown) => {
      const response = await send(`${serve.url}/api/public/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (response.status >= 300)
        throw new Error(`${method} ${path}: ${response.status} ${response.body.message}`)
      return response.body.data
    }
    const [oldServe, oldWorker] = await Promise.all([
      spawn('previous', 'serve'),
      spawn('previous', 'worker'),
    ])
    const arrives = (event: string, about: string) =>
      until(`${event} of ${about}`, () =>
        receiver.received.find(
          ({ headers, body }) => headers['x-webhook-event'] === event && body.includes(about),
        ),
      )

    // All of it the previous version's.
    const project = await call(oldServe, 'POST', '/projects', { name: 'Blog' })
    const webhook = await call(oldServe, 'POST', '/webhooks', {
      url: receiver.url,
      events: ['article.created', 'article.updated', 'generation.completed'],
    })
    const write = (serve: { url: string }, title: string) =>
      call(serve, 'POST', '/articles', { project_id: project.id, title, body: 'Text' })
    const article = await write(oldServe, 'By the old one')
    await arrives('article.created', article.id)
    const keyword = await call(oldServe, 'POST', `/projects/${project.id}/keywords`, {
      keyword: 'tea',
    })
    const generation = await call(oldServe, 'POST', '/generations', { keyword_id: keyword.id })
    await arrives('generation.completed', generation.id)

    // A new serve beside it: what either writes the other reads, and the old worker sends.
    const serve = await spawn('new', 'serve')
    await call(oldServe, 'PATCH', `/articles/${(await write(serve, 'By the new one')).id}`, {
      title: 'Changed by the old one',
    })
    await arrives('article.updated', 'Changed by the old one')
    await call(serve, 'POST', `/webhooks/${webhook.id}/rotate-secret`)

    // A new worker beside the old one, then alone.
    await spawn('new', 'worker')
    expect(await oldWorker.kill('SIGTERM')).toBe(0)
    await arrives('article.created', (await write(oldServe, 'Sent by the new one')).id)
    await call(oldServe, 'DELETE', `/articles/${article.id}`)
  },
  120_000,
)
