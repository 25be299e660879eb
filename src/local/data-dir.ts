import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'

/** What `dev` keeps in its data folder beside its servers' data: a key, and how to reach it. */

/** Lets the commands of another terminal find the `dev` that runs. */
export type RunningDev = { pid: number; databaseUrl: string; url: string }

/** @throws {StartError} when the folder cannot be made or written. */
export const prepareDataDir = async (dir: string): Promise<void> => {
  try {
    // Others may pass through but not look: PostgreSQL runs as another user where Arden runs as root.
    // Every file in it has its own mode.
    await mkdir(dir, { recursive: true, mode: 0o711 })
    const probe = join(dir, '.writable')
    await writeFile(probe, '')
    await rm(probe)
  } catch (error) {
    throw new StartError(
      `The data folder ${dir} cannot be written: ${error instanceof Error ? error.message : error}. Put it right, or set ARDEN_DATA_DIR to another folder.`,
    )
  }
}

/** The folder's own encryption key, made once: webhook secrets stay readable over restarts. */
export const ownEncryptionKey = async (dir: string): Promise<string> => {
  const file = join(dir, 'encryption.key')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept !== undefined) return kept.trim()
  const made = randomBytes(32).toString('hex')
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' })
  return made
}

/** Says that a `dev` runs here; answers how to take that back. */
export const announce = async (dir: string, dev: RunningDev): Promise<() => Promise<void>> => {
  const file = fileOf(dir)
  await writeFile(file, JSON.stringify(dev), { mode: 0o600 })
  return () => rm(file, { force: true })
}

/** The `dev` that runs on this folder, if one does: a file left by a killed one does not count. */
export const findRunningDev = async (dir: string): Promise<RunningDev | undefined> => {
  const file = Bun.file(fileOf(dir))
  const dev: RunningDev | undefined = await file.json().catch(() => undefined)
  return dev !== undefined && isAlive(dev.pid) ? dev : undefined
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Alive, but another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const fileOf = (dir: string) => join(dir, 'dev.json')
