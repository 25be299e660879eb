import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { startPostgres } from '../../src/local/postgres/server'
import { isRunning } from '../../src/local/process'
import { createProgressLine } from '../../src/local/progress-line'
import { findTemporal } from '../../src/local/temporal/find'
import { startTemporal } from '../../src/local/temporal/server'
import { workflowBundle } from '../../src/temporal/bundle'
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes'
import { type Lane, settingsOf } from '../support/lanes'
import { quietPort } from '../support/network/quiet-ports'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

/** The parts that can be killed and started again on the same address. */
export type Part = {
  name: 'postgres' | 'temporal' | 'worker' | 'serve'
  /** SIGKILL; resolves when it is gone. */
  kill: () => Promise<void>
  start: () => Promise<void>
  stop: () => Promise<void>
}

export type Parts = { databaseUrl: string; url: string; workers: Part[]; others: Part[] }

/** Two, so that one can take over what the other had in hand. */
const WORKERS = 2
/** A start is tried again for this long: what it needs may be away, too, in seconds. */
const START_WITHIN_S = 60

/**
 * PostgreSQL that keeps what it has committed, Temporal with its file, `serve` and two workers, each a
 * process of its own. `onStarted` gets each part as soon as it runs.
 */
export const startParts = async (
  dir: string,
  lane: Lane,
  onStarted: (part: Part) => void,
): Promise<Parts> => {
  const bundle = process.env.ARDEN_WORKFLOW_BUNDLE ?? join(dir, 'workflows.js')
  if (process.env.ARDEN_WORKFLOW_BUNDLE === undefined)
    await writeFile(bundle, (await workflowBundle()).code)
  const path = await findTemporal(createProgressLine())
  const ports = { postgres: await quietPort(), temporal: await quietPort() }
  const servePort = await quietPort()

  const startDatabase = () => startPostgres({ dir: join(dir, 'postgres'), port: ports.postgres })
  const postgres = await server('postgres', startDatabase)
  onStarted(postgres)
  const databaseUrl = postgres.current().url
  const sql = connect(databaseUrl, { name: 'faults', max: 1 })
  await migrate(sql)
  await sql.end()

  const temporal = await server('temporal', () =>
    startTemporal({
      path,
      dir: join(dir, 'temporal'),
      port: ports.temporal,
      searchAttributes: SEARCH_ATTRIBUTES,
    }),
  )
  onStarted(temporal)

  const env = {
    PORT: String(servePort),
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.current().address,
    ARDEN_WORKFLOW_BUNDLE: bundle,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
    ...settingsOf(lane),
  }
  const serve = await arden('serve', env)
  onStarted(serve)
  const workers: Part[] = []
  for (let n = 0; n < WORKERS; n++) {
    const worker = await arden('worker', env)
    onStarted(worker)
    workers.push(worker)
  }
  return {
    databaseUrl,
    url: `http://127.0.0.1:${servePort}`,
    workers,
    others: [postgres, temporal, serve],
  }
}

/** Tries again what fails because another part is away, or because a killed server's children still end. */
const persistent = async <T>(what: string, start: () => Promise<T>): Promise<T> => {
  let reason: unknown
  const once = () =>
    start().catch(error => {
      reason = error
      return undefined
    })
  try {
    return (await until(`${what} starts`, once, START_WITHIN_S)) as T
  } catch {
    throw reason
  }
}

const server = async <T extends { pid: number; stop(): Promise<void> }>(
  name: 'postgres' | 'temporal',
  start: () => Promise<T>,
): Promise<Part & { current: () => T }> => {
  let current = await start()
  return {
    name,
    current: () => current,
    kill: async () => {
      process.kill(current.pid, 'SIGKILL')
      await until(`${name} is gone`, async () => !(await isRunning(current.pid)))
    },
    start: async () => {
      current = await persistent(name, start)
    },
    stop: () => current.stop(),
  }
}

const arden = async (name: 'serve' | 'worker', env: Record<string, string>): Promise<Part> => {
  let current = await spawnArden(name, env)
  return {
    name,
    kill: async () => {
      await current.kill('SIGKILL')
    },
    start: async () => {
      current = await persistent(name, () => spawnArden(name, env))
    },
    stop: async () => {
      await current.kill('SIGKILL')
    },
  }
}
