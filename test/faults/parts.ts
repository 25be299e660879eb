import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { startPostgres } from '../../src/local/postgres/server'
import { isRunning } from '../../src/local/process'
import { createProgressLine } from '../../src/local/progress-line'
import { findTemporal } from '../../src/local/temporal/find'
import { startTemporal } from '../../src/local/temporal/server'
import { workflowBundle } from '../../src/temporal/bundle'
import { type Lane, settingsOf } from '../support/lanes'
import { quietPort } from '../support/network/quiet-ports'
import { ARDEN, spawnArden } from '../support/process'
import { until } from '../support/until'
import type { Fault } from './fault'
import { type Link, startLink } from './link'
import type { Random } from './random'

/** The parts that can be killed and started again on the same address. */
export type Part = {
  name: 'postgres' | 'temporal' | 'worker' | 'serve'
  /** SIGKILL; resolves when it is gone. */
  kill: () => Promise<void>
  start: () => Promise<void>
  stop: () => Promise<void>
}
export type Postgres = Part & {
  dir: string
  current: () => { pid: number; url: string; adminUrl: string }
}
/** Each process has links of its own to the servers. */
export type ArdenPart = Omit<Part, 'start'> & {
  /** `changed`: variables of its environment, from now on. */
  start: (changed?: Record<string, string>) => Promise<void>
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
  postgres: Link
  temporal: Link
}

export type Parts = {
  url: string
  /** The settings of Arden's processes, without DATABASE_URL. */
  environment: Record<string, string>
  postgres: Postgres
  /** `empty` removes its store while it is stopped. */
  temporal: Part & { empty: () => Promise<void> }
  serve: ArdenPart
  workers: [ArdenPart, ArdenPart]
}

/** A start is tried again for this long: what it needs may be away, too, in seconds. */
const START_WITHIN_S = 60

/**
 * PostgreSQL that keeps what it has committed, Temporal with its file, `serve` and two workers, so that one can take
 * over what the other had in hand, each a process of its own. `onStarted` gets the stop of each as soon as it runs.
 */
export const startParts = async (
  dir: string,
  lane: Lane,
  fault: Pick<Fault, 'beforePostgres' | 'beforeArden' | 'preload'>,
  random: Random,
  onStarted: (stop: () => unknown) => void,
): Promise<Parts> => {
  const bundle = process.env.ARDEN_WORKFLOW_BUNDLE ?? join(dir, 'workflows.js')
  if (process.env.ARDEN_WORKFLOW_BUNDLE === undefined)
    await writeFile(bundle, (await workflowBundle()).code)
  const path = await findTemporal(createProgressLine())
  const ports = { postgres: await quietPort(), temporal: await quietPort() }

  const postgresDir = join(dir, 'postgres')
  if (fault.beforePostgres !== undefined) onStarted(fault.beforePostgres(postgresDir))
  const postgres = {
    ...(await server('postgres', () => startPostgres({ dir: postgresDir, port: ports.postgres }))),
    dir: postgresDir,
  }
  onStarted(postgres.stop)
  const sql = connect(postgres.current().url, { name: 'faults', max: 1 })
  await migrate(sql)
  await sql.end()
  if (fault.beforeArden !== undefined) onStarted(await fault.beforeArden(postgres, random))

  const temporalDir = join(dir, 'temporal')
  const temporal = await server('temporal', () =>
    startTemporal({
      path,
      dir: temporalDir,
      port: ports.temporal,
      // An emptied one has none: workers register them.
      searchAttributes: {},
    }),
  )
  onStarted(temporal.stop)

  const env = {
    PORT: String(await quietPort()),
    HOST: '127.0.0.1',
    TMPDIR: tmpdir(),
    ARDEN_WORKFLOW_BUNDLE: bundle,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
    ...settingsOf(lane),
  }
  const start = async (name: 'serve' | 'worker') => {
    const links = {
      postgres: await startLink(ports.postgres, random),
      temporal: await startLink(ports.temporal, random),
    }
    for (const link of Object.values(links)) onStarted(link.stop)
    const databaseUrl = new URL(postgres.current().url)
    databaseUrl.port = String(links.postgres.port)
    const part = await arden(name, fault.preload, {
      ...env,
      DATABASE_URL: databaseUrl.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${links.temporal.port}`,
    })
    onStarted(part.stop)
    return { ...part, ...links }
  }
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    environment: { ...env, TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}` },
    postgres,
    temporal: { ...temporal, empty: () => rm(temporalDir, { recursive: true }) },
    serve: await start('serve'),
    workers: [await start('worker'), await start('worker')],
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
) => {
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

const arden = async (
  name: 'serve' | 'worker',
  preload: string | undefined,
  env: Record<string, string>,
) => {
  const [bun = '', main = ''] = ARDEN
  const program = preload === undefined ? ARDEN : [bun, '--preload', preload, main]
  let environment = env
  const spawn = () => spawnArden(name, environment, { program })
  let current = await spawn()
  const kill = async () => {
    await current.kill('SIGKILL')
  }
  return {
    name,
    kill,
    start: async (changed: Record<string, string> = {}) => {
      environment = { ...environment, ...changed }
      current = await persistent(name, spawn)
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => process.kill(current.pid, signal),
    stop: kill,
  }
}
