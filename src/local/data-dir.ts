import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'
import { identifyThisProcess, isAlive, type ProcessIdentity } from './process'

/** What `dev` keeps in its data folder beside its servers' data: a key, and how to reach it. */

/** Lets the commands of another terminal find the `dev` that runs. */
export type RunningDev = {
  process: ProcessIdentity
  databaseUrl: string
  temporalAddress: string
  url: string
}

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
export const ensureEncryptionKey = async (dir: string): Promise<string> => {
  const file = join(dir, 'encryption.key')
  const kept = (await readFile(file, 'utf8').catch(() => undefined))?.trim()
  if (kept !== undefined && !/^[0-9a-f]{64}$/.test(kept))
    throw new StartError(
      `${file} is broken: it must hold 64 hexadecimal characters. Restore it from a backup, or move the data folder away to begin with an empty one; without this key the webhook secrets cannot be read.`,
    )
  if (kept !== undefined) return kept
  const made = randomBytes(32).toString('hex')
  // Renamed when it is whole: a crash must not leave half a key.
  await writeFile(`${file}.new`, `${made}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return made
}

/** Says that a `dev` runs here; answers how to take that back. */
export const registerRunningDev = async (
  dir: string,
  dev: Omit<RunningDev, 'process'>,
): Promise<() => Promise<void>> => {
  const running: RunningDev = { process: await identifyThisProcess(), ...dev }
  await writeFile(runningDevFile(dir), JSON.stringify(running), { mode: 0o600 })
  return () => rm(runningDevFile(dir), { force: true })
}

/** The `dev` that runs on this folder, if one does: a file left by a killed one does not count. */
export const findRunningDev = async (dir: string): Promise<RunningDev | undefined> => {
  const dev: RunningDev | undefined = await Bun.file(runningDevFile(dir))
    .json()
    .catch(() => undefined)
  return dev !== undefined && (await isAlive(dev.process)) ? dev : undefined
}

const runningDevFile = (dir: string) => join(dir, 'dev.json')
