import { randomBytes } from 'node:crypto'
import { chownSync, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../errors'
import { stopOrphanedServer } from '../process'
import type { PostgresBinaries } from './binaries'
import { type RunAs, resolveRunAs } from './run-as'

/** The superuser that initdb creates: for the start of the server and for tests. Arden never connects as it. */
export const SUPERUSER = 'postgres'
/** PostgreSQL's "fast shutdown": disconnects clients and loses nothing. */
export const STOP_SIGNAL = 'SIGINT'

export const dataPath = (dir: string) => join(dir, 'data')
/** The password of Arden's role. */
export const passwordPath = (dir: string) => join(dir, 'password')
export const superuserPasswordPath = (dir: string) => join(dir, 'superuser.password')

/** The environment of the server, without Arden's settings. */
export const serverEnvironment = () => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' })

/**
 * Prepares `dir` for a server: stops a server that a killed process left running, and creates data and
 * passwords on the first start.
 * @throws {StartError} when another Arden uses the folder, or it cannot be used.
 */
export const prepareData = async (
  dir: string,
  binaries: PostgresBinaries,
  durable: boolean,
): Promise<RunAs> => {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const previous = await stopOrphanedServer(dir, STOP_SIGNAL)
    const runAs = await resolveRunAs(dir, [dir, dirname(binaries.postgres)])
    if (!existsSync(dataPath(dir))) await initializeData(dir, binaries, runAs, durable)
    if (previous !== undefined) await removeStaleLock(dir, previous)
    return runAs
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The data folder ${dir} cannot be used: ${error instanceof Error ? error.message : error}. Fix that, or set ARDEN_DATA_DIR to another folder.`,
    )
  }
}

/** Needs no quoting in SQL and in a URL. */
export const createPassword = () => randomBytes(24).toString('base64url')

/**
 * Initializes beside the final folder and renames it, so an interrupted initdb leaves no partial data.
 */
const initializeData = async (
  dir: string,
  { initdb }: PostgresBinaries,
  runAs: RunAs,
  durable: boolean,
) => {
  const unfinished = join(dir, 'data.unfinished')
  await rm(unfinished, { recursive: true, force: true })
  await writeFile(passwordPath(dir), createPassword(), { mode: 0o600 })
  const superuserPassword = superuserPasswordPath(dir)
  await writeFile(superuserPassword, createPassword(), { mode: 0o600 })
  if (runAs.user !== undefined) chownSync(superuserPassword, runAs.user.uid, runAs.user.gid)
  const run = Bun.spawn(
    [
      ...runAs.prefix,
      initdb,
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${superuserPassword}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same sort order and case rules on every machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
    { cwd: dir, env: serverEnvironment(), stdout: 'ignore', stderr: 'pipe', ...runAs.user },
  )
  const [errors, code] = await Promise.all([run.stderr.text(), run.exited])
  if (code !== 0) throw new Error(`initdb failed: ${errors.trim().split('\n').at(-1)}`)
  await rename(unfinished, dataPath(dir))
}

/**
 * PostgreSQL refuses to start while any process has the pid in this file, which can happen after a reboot.
 */
const removeStaleLock = async (dir: string, pid: number) => {
  const lock = join(dataPath(dir), 'postmaster.pid')
  const text = await readFile(lock, 'utf8').catch(() => '')
  if (text.startsWith(`${pid}\n`)) await rm(lock)
}
