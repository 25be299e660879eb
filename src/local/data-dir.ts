import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'
import { identifyThisProcess, isAlive, isIdentity, type ProcessIdentity } from './process'

/**
 * Files of `dev` in its data folder beside those of its servers: the encryption key and how to reach it.
 */

/** Lets commands in another terminal find the running `dev`. */
type RunningDev = {
  process: ProcessIdentity
  databaseUrl: string
  temporalAddress: string
  url: string
}

/** @throws {StartError} when the folder cannot be created or written. */
export const prepareDataDir = async (dir: string): Promise<void> => {
  try {
    // 0711: as root, Arden runs PostgreSQL as another user, who must pass through but not list it. Each file
    // has its own mode.
    await mkdir(dir, { recursive: true, mode: 0o711 })
    const probe = join(dir, '.writable')
    await writeFile(probe, '')
    await rm(probe)
  } catch (error) {
    throw new StartError(
      `The data folder ${dir} cannot be written: ${error instanceof Error ? error.message : error}. Fix that, or set ARDEN_DATA_DIR to another folder.`,
    )
  }
}

/**
 * The encryption key of the folder, created once, so that webhook secrets stay readable after a restart.
 */
export const ensureEncryptionKey = async (dir: string): Promise<string> => {
  const file = join(dir, 'encryption.key')
  const existing = (await readFile(file, 'utf8').catch(() => undefined))?.trim()
  if (existing !== undefined && !/^[0-9a-f]{64}$/.test(existing))
    throw new StartError(
      `${file} is damaged: it must contain 64 hexadecimal characters. Restore it from a backup, or move the data folder away to start with an empty one. Without this key the webhook secrets cannot be decrypted.`,
    )
  if (existing !== undefined) return existing
  const created = randomBytes(32).toString('hex')
  // Renamed when complete: a crash must not leave half a key.
  await writeFile(`${file}.new`, `${created}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return created
}

/** Records that `dev` runs on this folder. Returns a function that removes the record. */
export const registerRunningDev = async (
  dir: string,
  dev: Omit<RunningDev, 'process'>,
): Promise<() => Promise<void>> => {
  const running: RunningDev = { process: await identifyThisProcess(), ...dev }
  await writeFile(runningDevFile(dir), JSON.stringify(running), { mode: 0o600 })
  return () => rm(runningDevFile(dir), { force: true })
}

/** The `dev` that runs on this folder. The record of a killed process is ignored. */
export const findRunningDev = async (dir: string): Promise<RunningDev | undefined> => {
  const dev: unknown = await Bun.file(runningDevFile(dir))
    .json()
    .catch(() => undefined)
  return isRunningDev(dev) && (await isAlive(dev.process)) ? dev : undefined
}

const isRunningDev = (value: unknown): value is RunningDev =>
  typeof value === 'object' &&
  value !== null &&
  'process' in value &&
  isIdentity(value.process) &&
  ['databaseUrl', 'temporalAddress', 'url'].every(
    name => typeof (value as Record<string, unknown>)[name] === 'string',
  )

const runningDevFile = (dir: string) => join(dir, 'dev.json')
