import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../errors'
import { findFreePort } from '../ports'
import { type ServerProcess, startServer } from '../process'
import { findPostgresBinaries } from './binaries'
import { dataPath, prepareData, STOP_SIGNAL, serverEnvironment } from './data'
import { ensureRole, type LocalUrls } from './role'

type LocalPostgres = LocalUrls & {
  pid: number
  stop(): Promise<void>
}

const MAX_CONNECTIONS = 200
/** Includes crash recovery, which replays the write-ahead log. */
const READY_TIMEOUT_MS = 60_000
const POLL_MS = 20
/** Attempts with another port when a program took the free one. */
const PORT_TRIES = 3

/**
 * Starts a real PostgreSQL on 127.0.0.1, on `port` or a free one, with data, log and passwords in `dir`, which
 * is created if missing. `durable: false` is faster and for tests only: data may be lost when the machine
 * crashes.
 * @throws {StartError} when the folder cannot be used, is in use, or is damaged.
 */
export const startPostgres = async (options: {
  dir: string
  durable?: boolean
  port?: number
}): Promise<LocalPostgres> => {
  const { dir, durable = true } = options
  const binaries = await findPostgresBinaries()
  const runAs = await prepareData(dir, binaries, durable)

  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await findFreePort())
    const server = await startServer({
      dir,
      prefix: runAs.prefix,
      command: [binaries.postgres, ...serverFlags(dir, port, durable)],
      env: serverEnvironment(),
      user: runAs.user,
      stopSignal: STOP_SIGNAL,
    })
    try {
      await waitUntilReady(dir, server)
      return { ...(await ensureRole(dir, port)), pid: server.pid, stop: server.stop }
    } catch (error) {
      await server.stop()
      const log = await readFile(server.log, 'utf8')
      if (tries < PORT_TRIES && log.includes('Address already in use')) continue
      throw new StartError(
        `PostgreSQL did not start on ${dir}: ${readStartFailure(log) || error}. Its log is ${server.log}. Restore the folder from a backup, or move it away to start with an empty one.`,
      )
    }
  }
}

const serverFlags = (dir: string, port: number, durable: boolean) => {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  return [
    '-D',
    dataPath(dir),
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  ]
}

/** Line 8 of postmaster.pid is the state of the server, as `pg_ctl` reads it. */
const waitUntilReady = async (dir: string, server: ServerProcess) => {
  const deadline = Date.now() + READY_TIMEOUT_MS
  const lock = join(dataPath(dir), 'postmaster.pid')
  for (;;) {
    const lines = (await readFile(lock, 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(server.pid) && lines[7]?.startsWith('ready')) return
    if (server.hasExited()) throw new Error('it exited during startup')
    if (Date.now() > deadline) throw new Error(`it was not ready in ${READY_TIMEOUT_MS / 1000} s`)
    await Bun.sleep(POLL_MS)
  }
}

/** Why the server exited, from its log, in one line without a full stop. */
const readStartFailure = (log: string) => {
  const lines = log.trim().split('\n')
  const fatal = lines.findLastIndex(line => /(FATAL|PANIC): /.test(line))
  const detail = lines[fatal + 1]?.split('DETAIL:  ')[1]
  const said =
    fatal === -1
      ? lines.join(' ')
      : [lines[fatal]?.replace(/^.*(FATAL|PANIC): +/, ''), detail].filter(Boolean).join('; ')
  return said.replace(/\.$/, '')
}
