import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'

/** A server that this process started. */
export type ServerProcess = {
  pid: number
  /** File with the stdout and stderr of the server. */
  log: string
  hasExited(): boolean
  /**
   * Sends the stop signal, kills the server after the grace period, and resolves when it has exited.
   */
  stop(): Promise<void>
}

type ServerOptions = {
  /** Folder of the log and of the record of the running server. */
  dir: string
  command: string[]
  /** Command prefix to run as another user. */
  prefix?: string[]
  env: Record<string, string>
  /** The user to run as; requires root. */
  user?: { uid: number; gid: number } | undefined
  stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'
}

type ServerRecord = { server: ProcessIdentity; owner: ProcessIdentity }
/** Pid and start time, which distinguish a process from a later one with the same pid. */
export type ProcessIdentity = { pid: number; started: string }

/** Time for a server to exit before it is killed, in ms. PostgreSQL writes a checkpoint. */
const STOP_GRACE_MS = 15_000
const POLL_MS = 20

/**
 * Starts a server in its own session: Ctrl-C reaches the whole foreground process group, and the server must
 * outlive our shutdown. If this process is killed, Linux ends the server too; elsewhere the next start finds
 * it by the record in `dir`.
 */
export const startServer = async (options: ServerOptions): Promise<ServerProcess> => {
  const log = join(options.dir, 'server.log')
  const output = openSync(log, 'w', 0o600)
  const [file = '', ...args] = [
    ...(options.prefix ?? []),
    ...withParentDeathSignal(options.stopSignal),
    ...options.command,
  ]
  const child = spawn(file, args, {
    cwd: options.dir,
    env: options.env,
    detached: true,
    stdio: ['ignore', output, output],
    ...options.user,
  })
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0))
    child.once('error', error => reject(new StartError(`${file} cannot be run: ${error.message}.`)))
  }).finally(() => closeSync(output))
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  // An unexpected exit (an uncaught error) must not leave the server running.
  const onExit = () => sendSignal(pid, options.stopSignal)
  process.once('exit', onExit)
  exited.then(() => process.off('exit', onExit))
  child.unref()
  await writeServerRecord(options.dir, pid)

  return {
    pid,
    log,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      child.ref()
      await endProcess(
        pid,
        options.stopSignal,
        () => child.exitCode !== null || child.signalCode !== null,
      )
      await exited
      await rm(recordPath(options.dir), { force: true })
    },
  }
}

/**
 * Stops the server that a killed process left running in `dir`. Returns the pid of the last server that was
 * not stopped normally.
 * @throws {StartError} when another live process runs its server there.
 */
export const stopOrphanedServer = async (
  dir: string,
  stopSignal: NodeJS.Signals,
): Promise<number | undefined> => {
  const record = await readServerRecord(dir)
  if (record === undefined) return undefined
  const { server, owner } = record
  if (await isAlive(server)) {
    if (await isAlive(owner))
      throw new StartError(
        `The data folder ${dir} is in use by another Arden (process ${owner.pid}). Stop that one first, or set ARDEN_DATA_DIR to another folder.`,
      )
    await endProcess(server.pid, stopSignal, async () => !(await isAlive(server)))
  }
  await rm(recordPath(dir), { force: true })
  return server.pid
}

/** Whether a process has this pid. Zombies do not count. */
export const isRunning = async (pid: number): Promise<boolean> =>
  (await readStartTime(pid)) !== undefined

export const identifyThisProcess = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  started: (await readStartTime(process.pid)) ?? '',
})

/** Command prefix that makes Linux send `signal` to the server when this process exits. */
const withParentDeathSignal = (signal: NodeJS.Signals): string[] => {
  const setpriv = Bun.which('setpriv')
  if (setpriv === null) return []
  // The setpriv of Busybox lacks this option.
  const { success } = Bun.spawnSync([setpriv, '--pdeathsig', 'clear', 'true'])
  return success ? [setpriv, '--pdeathsig', signal.slice(3), '--'] : []
}

const endProcess = async (
  pid: number,
  stopSignal: NodeJS.Signals,
  hasExited: () => boolean | Promise<boolean>,
) => {
  const deadline = Date.now() + STOP_GRACE_MS
  sendSignal(pid, stopSignal)
  while (!(await hasExited())) {
    if (Date.now() > deadline) sendSignal(pid, 'SIGKILL')
    await Bun.sleep(POLL_MS)
  }
}

const sendSignal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has already exited.
  }
}

const recordPath = (dir: string) => join(dir, 'process.json')

const writeServerRecord = async (dir: string, pid: number) => {
  const record: ServerRecord = {
    server: { pid, started: (await readStartTime(pid)) ?? '' },
    owner: await identifyThisProcess(),
  }
  await writeFile(recordPath(dir), JSON.stringify(record), { mode: 0o600 })
}

const readServerRecord = async (dir: string): Promise<ServerRecord | undefined> => {
  try {
    const { server, owner } = JSON.parse(await readFile(recordPath(dir), 'utf8'))
    return isIdentity(server) && isIdentity(owner) ? { server, owner } : undefined
  } catch {
    // Missing or cut off by a crash. Then PostgreSQL's and SQLite's own locks protect the data.
    return undefined
  }
}

export const isIdentity = (value: unknown): value is ProcessIdentity =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  Number.isInteger(value.pid) &&
  'started' in value &&
  typeof value.started === 'string'

/** Whether the same process still runs. */
export const isAlive = async ({ pid, started }: ProcessIdentity): Promise<boolean> =>
  started !== '' && (await readStartTime(pid)) === started

/** Start time of the process in a format of the system; undefined if it is not running. */
const readStartTime = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The fields after the program's name, which is in parentheses and can contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  }
  const { stdout } = Bun.spawnSync(['ps', '-o', 'lstart=', '-p', String(pid)])
  return stdout.toString().trim() || undefined
}
