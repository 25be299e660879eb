import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'

/** A server that this process started and answers for. */
export type ServerProcess = {
  pid: number
  /** The file that holds what the server wrote, on stdout and stderr. */
  log: string
  hasExited(): boolean
  /** Asks it to end, insists after the grace period, and resolves when it is gone. */
  stop(): Promise<void>
}

type ServerOptions = {
  /** Holds the log and the record of which process runs here. */
  dir: string
  command: string[]
  /** Words before the command's own, for running it as another user. */
  prefix?: string[]
  env: Record<string, string>
  /** Another user to run as; only root may say so. */
  user?: { uid: number; gid: number } | undefined
  stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'
}

type ServerRecord = { server: ProcessIdentity; owner: ProcessIdentity }
/** A process, told apart from a later one that got the same pid by the time it started. */
export type ProcessIdentity = { pid: number; started: string }

/** How long a server may take to end, before it is killed. PostgreSQL writes a checkpoint meanwhile. */
const STOP_GRACE_MS = 15_000
const POLL_MS = 20

/**
 * Starts a server in a session of its own: Ctrl-C in the terminal reaches the whole foreground process
 * group, and the server must outlive our draining. If this process is killed, the server ends too where
 * the system can do that; elsewhere the next start finds it by the record it left in `dir`.
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
  // An exit that nobody planned (an uncaught error) must not leave the server behind.
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
 * Makes `dir` ours: ends the server that a killed process left running there. Answers the pid of the
 * last server that did not end by our hand, dead or ended now.
 * @throws {StartError} when another process that is alive runs its server there.
 */
export const stopOrphanedServer = async (
  dir: string,
  stopSignal: NodeJS.Signals,
): Promise<number | undefined> => {
  const tenancy = await readServerRecord(dir)
  if (tenancy === undefined) return undefined
  const { server, owner } = tenancy
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

/** Whether a process has this pid; one that has ended and was not yet waited for does not count. */
export const isRunning = async (pid: number): Promise<boolean> =>
  (await readStartTime(pid)) !== undefined

export const identifyThisProcess = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  started: (await readStartTime(process.pid)) ?? '',
})

/** Lets Linux send `signal` when this process ends, however it ends. Other systems have no such thing. */
const withParentDeathSignal = (signal: NodeJS.Signals): string[] => {
  const setpriv = Bun.which('setpriv')
  if (setpriv === null) return []
  // Busybox has a setpriv that does not know this.
  const { success } = Bun.spawnSync([setpriv, '--pdeathsig', 'clear', 'true'])
  return success ? [setpriv, '--pdeathsig', signal.slice(3), '--'] : []
}

const endProcess = async (
  pid: number,
  gentle: NodeJS.Signals,
  gone: () => boolean | Promise<boolean>,
) => {
  const deadline = Date.now() + STOP_GRACE_MS
  sendSignal(pid, gentle)
  while (!(await gone())) {
    if (Date.now() > deadline) sendSignal(pid, 'SIGKILL')
    await Bun.sleep(POLL_MS)
  }
}

const sendSignal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It ended in between.
  }
}

const recordPath = (dir: string) => join(dir, 'process.json')

const writeServerRecord = async (dir: string, pid: number) => {
  const tenancy: ServerRecord = {
    server: { pid, started: (await readStartTime(pid)) ?? '' },
    owner: await identifyThisProcess(),
  }
  await writeFile(recordPath(dir), JSON.stringify(tenancy), { mode: 0o600 })
}

const readServerRecord = async (dir: string): Promise<ServerRecord | undefined> => {
  try {
    const { server, owner } = JSON.parse(await readFile(recordPath(dir), 'utf8'))
    return isIdentity(server) && isIdentity(owner) ? { server, owner } : undefined
  } catch {
    // Never written, or cut off by a crash: then PostgreSQL's and SQLite's own locks protect the data.
    return undefined
  }
}

const isIdentity = (value: unknown): value is ProcessIdentity =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  Number.isInteger(value.pid) &&
  'started' in value &&
  typeof value.started === 'string'

/** Whether that very process still runs. */
export const isAlive = async ({ pid, started }: ProcessIdentity): Promise<boolean> =>
  (await readStartTime(pid)) === started

/** When the process started, in whatever form the system tells; undefined when it is not running. */
const readStartTime = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The fields after the program's name, which stands in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  }
  const { stdout } = Bun.spawnSync(['ps', '-o', 'lstart=', '-p', String(pid)])
  return stdout.toString().trim() || undefined
}
