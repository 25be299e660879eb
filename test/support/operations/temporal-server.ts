import { randomBytes } from 'node:crypto'
import { existsSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { addToCache, cachePath } from '../../../src/local/cache'
import { startServer } from '../../../src/local/process'
import { createProgressLine } from '../../../src/local/progress-line'
import { findTemporal } from '../../../src/local/temporal/find'
import { goInstall } from '../../../src/local/temporal/go-install'
import { quietPorts } from '../network/quiet-ports'
import { until } from '../until'
import { commandOf, compose, environmentOf, service } from './compose'
import { runPsqlScript } from './psql-script'

/** The version that docker-compose.yml runs; the test runs no other. */
const VERSION = service('temporal').image.split(/[:@]/)[1] ?? ''
const SERVER = {
  module: 'go.temporal.io/server',
  version: `v${VERSION}`,
  folders: ['cmd/server', 'cmd/tools/sql'],
}
const PROGRAMS = cachePath(`temporal-server-${VERSION}`)
const READY_S = 60
/** The ports of the server; clients use the first. */
const PORTS = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  ...['MATCHING', 'HISTORY', 'WORKER'].flatMap(part => [
    `${part}_GRPC_PORT`,
    `${part}_MEMBERSHIP_PORT`,
  ]),
]

/** Why the server cannot be had here, in one line; undefined where it can. */
export const noTemporalServer: string | undefined =
  existsSync(PROGRAMS) || Bun.which('go') !== null
    ? undefined
    : `Not run: the real Temporal server ${VERSION} is built with Go, which is not on PATH. Install Go, and run it again.`

/**
 * The folder with `temporal-server` and `temporal-sql-tool`: of the cache, or built into it, which takes
 * 385 s of CPU once.
 * @throws one sentence, when the build fails.
 */
export const temporalPrograms = async (): Promise<string> => {
  if (existsSync(PROGRAMS)) return PROGRAMS
  const progress = createProgressLine()
  await addToCache(PROGRAMS, async dir => {
    await goInstall(`the Temporal server ${VERSION}`, SERVER, dir, progress)
    await rename(join(dir, 'server'), join(dir, 'temporal-server'))
    await rename(join(dir, 'sql'), join(dir, 'temporal-sql-tool'))
    return dir
  }).finally(progress.end)
  return PROGRAMS
}

/**
 * A Temporal server with its state in a PostgreSQL of this machine, whose superuser `adminUrl` has, brought up by the
 * very commands and settings of docker-compose.yml; only addresses and ports differ.
 */
export const startTemporalServer = async (dir: string, adminUrl: string) => {
  const { port } = new URL(adminUrl)
  const programs = await temporalPrograms()
  const bin = join(dir, 'bin')
  await mkdir(bin, { recursive: true })
  symlinkSync(await findTemporal(() => {}), join(bin, 'temporal'))
  const variables = { POSTGRES_TEMPORAL_PASSWORD: randomBytes(24).toString('hex') }
  await runPsqlScript(adminUrl, 'deploy/postgres/temporal.sql', variables)
  const path = `${programs}:${bin}:${process.env.PATH ?? ''}`

  /** One of the services that end, run to its end. */
  const complete = async (name: string, addresses: Record<string, string>) => {
    const child = Bun.spawn(commandOf(name, variables), {
      env: { PATH: path, HOME: dir, ...environmentOf(name, variables), ...addresses },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, errors, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ])
    if (code !== 0) throw new Error(`${name} ended with ${code}:\n${out}${errors}`)
  }
  const setUpSchema = () => complete('temporal-schema', { SQL_HOST: '127.0.0.1', SQL_PORT: port })
  await setUpSchema()

  const ports = await quietPorts(PORTS.length)
  const address = `127.0.0.1:${ports[0]}`
  const dynamicConfig = join(dir, 'dynamic-config.yaml')
  await writeFile(dynamicConfig, compose.configs['temporal-dynamic-config']?.content ?? '')
  const server = await startServer({
    dir,
    // What the image runs.
    command: [join(programs, 'temporal-server'), 'start'],
    env: {
      PATH: path,
      ...environmentOf('temporal', variables),
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: port,
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
      ...Object.fromEntries(PORTS.map((name, n) => [name, String(ports[n])])),
    },
    stopSignal: 'SIGKILL',
  })
  try {
    await until(
      'Temporal listens',
      () => server.hasExited() || Connection.connect({ address }).then(end, () => false),
      READY_S,
    )
    await until(
      'the namespace is there',
      () => complete('temporal-namespace', { TEMPORAL_ADDRESS: address }).then(yes, no),
      READY_S,
    )
  } catch (error) {
    const said = (await readFile(server.log, 'utf8')).slice(-2000)
    await server.stop()
    throw new Error(`Temporal did not start: ${error}\n${said}`)
  }
  return { address, pid: server.pid, setUpSchema, stop: server.stop }
}

const yes = () => true
const no = () => false
const end = (connection: Connection) => connection.close().then(yes)
