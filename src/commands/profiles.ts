import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Mode } from '../caller'
import { EXIT, StartError } from '../errors'

/**
 * The profiles of `arden login`: servers and their API keys, in a file that only its user can read. A key is sent to the
 * server of its profile only.
 */
const Profile = Type.Object({ url: Type.String(), key: Type.String() })
export type Profile = Static<typeof Profile>

const Profiles = Type.Object({
  /** The name of the profile that commands use by default. */
  current: Type.Union([Type.String(), Type.Null()]),
  profiles: Type.Record(Type.String(), Profile),
})
type Profiles = Static<typeof Profiles>

export const DEFAULT_PROFILE = 'default'

const profilesFile = () =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'arden', 'profiles.json')

/** @throws {StartError} when the file is damaged or cannot be read. */
export const readProfiles = async (): Promise<Profiles> => {
  const file = profilesFile()
  try {
    const profiles: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (Value.Check(Profiles, profiles)) return profiles
  } catch (error) {
    if (isMissing(error)) return { current: null, profiles: {} }
    if (!(error instanceof SyntaxError))
      throw new StartError(
        `The profiles in ${file} cannot be read: ${error instanceof Error ? error.message : error}.`,
      )
  }
  throw new StartError(`${file} is damaged. Delete it, and sign in again with: arden login`)
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * The profile with this name, or without one the profile in use; undefined where no profile is.
 * @throws {StartError} when there is no profile with the name.
 */
export const findProfile = async (
  name: string | undefined,
): Promise<(Profile & { name: string }) | undefined> => {
  const { current, profiles } = await readProfiles()
  const chosen = name ?? current
  if (chosen === null) return undefined
  return { ...pick(profiles, chosen), name: chosen }
}

/** What to do when profiles are left and none is in use, as after `arden logout`; undefined otherwise. */
export const describeUnusedProfiles = async (): Promise<string | undefined> => {
  const { current, profiles } = await readProfiles()
  const [first, ...others] = Object.keys(profiles)
  if (current !== null || first === undefined) return undefined
  return others.length === 0
    ? `No profile is in use. Use the one that is left with: arden profiles use ${first}`
    : `No profile is in use. Choose ${[first, ...others].join(' or ')} with: arden profiles use <name>`
}

const pick = (profiles: Profiles['profiles'], name: string): Profile => {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  throw new StartError(
    `There is no profile "${name}". List them with: arden profiles list. Sign in with: arden login --profile ${name}`,
    { exitCode: EXIT.usage },
  )
}

/**
 * Writes the profiles as they are, so that a new one can be stored later.
 * @throws {StartError} when the file is damaged, or cannot be read or written.
 */
export const checkProfiles = async (): Promise<void> => write(await readProfiles())

/** Stores a profile, which is then the one in use. @returns the profile that it replaces. */
export const saveProfile = async (name: string, profile: Profile): Promise<Profile | undefined> => {
  const { profiles } = await readProfiles()
  await write({ current: name, profiles: { ...profiles, [name]: profile } })
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** Removes a profile. Where it was in use, no profile is. */
export const removeProfile = async (name: string): Promise<void> => {
  const { current, profiles } = await readProfiles()
  const { [name]: _, ...others } = profiles
  await write({ current: current === name ? null : current, profiles: others })
}

/** Makes commands use the profile by default. @throws {StartError} as `findProfile`. */
export const switchProfile = async (name: string): Promise<Profile> => {
  const { profiles } = await readProfiles()
  const profile = pick(profiles, name)
  await write({ current: name, profiles })
  return profile
}

/** Renamed when complete, so that a crash leaves the file before. */
const write = async (profiles: Profiles): Promise<void> => {
  const file = profilesFile()
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.new`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
    // `mode` does not apply to a file that a crash has left.
    await chmod(`${file}.new`, 0o600)
    await rename(`${file}.new`, file)
  } catch (error) {
    throw new StartError(
      `The profiles cannot be written to ${file}: ${error instanceof Error ? error.message : error}. Set XDG_CONFIG_HOME to a folder of yours.`,
    )
  }
}

/** The mode of an API key, which its value begins with. */
export const modeOfKey = (key: string): Mode => (key.startsWith('ar_test_') ? 'test' : 'live')
