import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { until } from '../../../test/support/until'
import { StartError } from '../../errors'
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes'
import { findFreePort } from '../ports'
import { isRunning } from '../process'
import { findTemporal } from './find'
import { startTemporal, startTemporalWithUi } from './server'

const root = await mkdtemp(join(tmpdir(), 'arden-local-'))
afterAll(() => rm(root, { recursive: true }))

// The test run has already started it, so it is on PATH or in the cache.
const path = await findTemporal(text => {
  throw new Error(`not found at once: ${text}`)
})

const start = (name: string, port = 0) =>
  startTemporal({
    path,
    dir: join(root, name),
    port,
    uiPort: 0,
    searchAttributes: SEARCH_ATTRIBUTES,
  })

test('keeps workflows across a restart and finds them by a search attribute', async () => {
  const first = await start('kept')
  await withClient(first.address, client =>
    client.workflow.start('nothing', { taskQueue: 'none', workflowId: 'kept' }),
  )
  await first.stop()

  const second = await start('kept')
  const status = await withClient(second.address, async client => {
    expect((await client.workflow.count("ArdenAccount = 'acc_1'")).count).toBe(0)
    return (await client.workflow.getHandle('kept').describe()).status.name
  })
  expect(status).toBe('RUNNING')
  await second.stop()
})

test('stops the server of a killed process and starts another one on its port', async () => {
  const script = `
    import { startTemporal } from ${JSON.stringify(join(import.meta.dir, 'server.ts'))}
    const { pid, address } = await startTemporal({
      path: ${JSON.stringify(path)}, dir: ${JSON.stringify(join(root, 'left'))}, port: 0, searchAttributes: {},
    })
    console.log(JSON.stringify({ pid, port: Number(address.split(':')[1]) }))
    process.kill(process.pid, 'SIGKILL')`
  const killed = Bun.spawn([process.execPath, '-e', script], {
    // Without setpriv on PATH the server outlives the process, as on macOS.
    env: { PATH: dirname(process.execPath) },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const left = await killed.stdout.json()
  await killed.exited
  expect(await isRunning(left.pid)).toBe(true)

  const { stop } = await start('left', left.port)
  expect(await isRunning(left.pid)).toBe(false)
  await stop()
})

test('rejects a port in use and names it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const error = await start('port', port).catch(reason => reason)
  other.close()
  expect(error).toBeInstanceOf(StartError)
  expect(error.message).toStartWith(`Port ${port} of 127.0.0.1 is in use`)
  expect(error.message).not.toContain('\n')
})

test('has its UI on another port when the usual one is taken while it starts', async () => {
  const usual = await findFreePort()
  const options = { path, dir: join(root, 'taken'), port: 0, searchAttributes: SEARCH_ATTRIBUTES }
  const starting = startTemporalWithUi(options, usual)
  // Its check uses the port for a moment; the server itself needs longer to listen there.
  const other = await until('the port is taken', () => listen(usual))
  const { uiUrl, stop } = await starting
  const page = await fetch(`${uiUrl}/`)
  await stop()
  other.close()
  expect(new URL(uiUrl ?? '').port).not.toBe(String(usual))
  expect(page.status).toBe(200)
})

const listen = (port: number) =>
  new Promise<Server | undefined>(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })

const withClient = async <T>(address: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const connection = await Connection.connect({ address })
  try {
    return await work(new Client({ connection }))
  } finally {
    await connection.close()
  }
}
