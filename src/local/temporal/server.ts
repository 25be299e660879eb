import { mkdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { StartError } from '../../errors'
import { findFreePort, isPortFree } from '../ports'
import { type ServerProcess, startServer, stopOrphanedServer } from '../process'

type LocalTemporal = {
  /** host:port of the gRPC service. */
  address: string
  /** URL of the UI, if there is one. */
  uiUrl: string | undefined
  pid: number
  stop(): Promise<void>
}

type Options = {
  path: string
  dir: string
  port: number
  uiPort?: number
  searchAttributes: Record<string, 'Keyword'>
}

/** A start with a large history has taken a second. */
const READY_TIMEOUT_MS = 60_000
const POLL_MS = 20

/**
 * Starts the Temporal server of the CLI at `path` on 127.0.0.1, and waits until its namespace `default` is
 * ready. State is in a file in `dir`, for tests too: in memory, one interrupted statement closes SQLite's only
 * connection and with it the database (temporalio/temporal#3784). Port 0 picks a free one; without
 * `uiPort` there is no UI. Search attributes are only registered for a new state; a worker adds missing ones.
 * @throws {StartError} when a port or the folder is in use, or the server does not start.
 */
export const startTemporal = async (options: Options): Promise<LocalTemporal> => {
  const { path, dir, searchAttributes } = options
  await prepareFolder(dir)
  const port = await reservePort(options.port, 'Temporal')
  const uiPort =
    options.uiPort === undefined ? undefined : await reservePort(options.uiPort, 'the Temporal UI')
  const server = await startServer({
    dir,
    command: [
      path,
      ...[
        'server',
        'start-dev',
        '--ip',
        '127.0.0.1',
        '--port',
        String(port),
        '--log-level',
        'warn',
        // Returns the first activity with the first workflow task, without a poll. The default from 1.32.
        '--dynamic-config-value',
        'system.enableActivityEagerExecution=true',
      ],
      ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
      ...databaseFlags(dir),
      ...Object.entries(searchAttributes).flatMap(([name, type]) => [
        '--search-attribute',
        `${name}=${type}`,
      ]),
    ],
    // Without TEMPORAL_* settings and the CLI's file in HOME: those are for clients.
    env: { PATH: process.env.PATH ?? '', HOME: dir },
    stopSignal: 'SIGTERM',
  })
  const address = `127.0.0.1:${port}`
  try {
    await waitUntilUsable(address, port, server)
  } catch (error) {
    await server.stop()
    const said = (await readFile(server.log, 'utf8')).trim().split('\n').at(-1)
    throw new StartError(
      `Temporal did not start: ${said || error}. Its log is ${server.log}. If its file is damaged, move ${dir} away: PostgreSQL has all unfinished deliveries and starts them again.`,
    )
  }
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`
  return { address, uiUrl, pid: server.pid, stop: server.stop }
}

/**
 * `startTemporal` with its UI on `usualUiPort`, or on a free port where another program has that one, or takes it while
 * Temporal starts, as a second Arden does that starts at the same time.
 * @throws {StartError} as `startTemporal`.
 */
export const startTemporalWithUi = async (
  options: Omit<Options, 'uiPort'>,
  usualUiPort: number,
): Promise<LocalTemporal> => {
  if (await isPortFree(usualUiPort))
    try {
      return await startTemporal({ ...options, uiPort: usualUiPort })
    } catch (error) {
      if (await isPortFree(usualUiPort)) throw error
    }
  return startTemporal({ ...options, uiPort: 0 })
}

/** Five times as fast as the defaults. Safe, because PostgreSQL has all state that matters. */
const databaseFlags = (dir: string) => [
  ...['--db-filename', join(dir, 'temporal.db')],
  ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=OFF'],
]

const prepareFolder = async (dir: string) => {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(
      `The data folder ${dir} cannot be used: ${error instanceof Error ? error.message : error}. Fix that, or set ARDEN_DATA_DIR to another folder.`,
    )
  }
  await stopOrphanedServer(dir, 'SIGTERM')
}

const reservePort = async (port: number, who: string): Promise<number> => {
  if (port === 0) return findFreePort()
  if (await isPortFree(port)) return port
  throw new StartError(
    `Port ${port} of 127.0.0.1 is in use, so ${who} cannot listen there. Stop the program that uses it, or, if that is a Temporal you want to use, set TEMPORAL_ADDRESS.`,
  )
}

const waitUntilUsable = async (address: string, port: number, server: ServerProcess) => {
  const deadline = Date.now() + READY_TIMEOUT_MS
  const pause = async () => {
    if (server.hasExited()) throw new Error('it exited during startup')
    if (Date.now() > deadline) throw new Error(`it was not ready in ${READY_TIMEOUT_MS / 1000} s`)
    await Bun.sleep(POLL_MS)
  }
  // A gRPC channel waits one second after a refused connect, so wait for the port first.
  while (!(await accepts(port))) await pause()
  // Without the proxy of the environment: the server is on this machine.
  const connection = await Connection.connect({
    address,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  })
  try {
    while (!(await isUsable(connection))) await pause()
  } finally {
    await connection.close()
  }
}

const accepts = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** The server creates the namespace after it starts to listen. */
const isUsable = async (connection: Connection): Promise<boolean> => {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace: 'default' })
    return true
  } catch {
    return false
  }
}
