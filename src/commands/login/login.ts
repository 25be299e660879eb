import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { codeOf } from '../../dashboard/cli-sign-in/code'
import { DASHBOARD } from '../../dashboard/paths'
import { EXIT, StartError } from '../../errors'
import type { ApiKeyWithValue } from '../../keys/schema'
import { prefixOfValue } from '../../keys/value'
import { hashToken, newToken } from '../../people/token'
import { findUrl, withoutCredentials } from '../api/connection'
import { print, printJson, printNote } from '../print'
import { checkProfiles, DEFAULT_PROFILE, type Profile, saveProfile } from '../profiles'
import { openBrowser } from './browser'
import { claimKey } from './claim'
import { noteWhatComesBefore } from './precedence'
import { notRevoked, revokeKey } from './revoke'

/** How long the user has for the approval, in ms. */
const APPROVAL_MS = 600_000
const POLL_MS = 3_000

export const loginCommand = () =>
  new Command('login')
    .description('Sign in with the browser: creates an API key, and keeps it in a profile.')
    .option(
      '--url <url>',
      'URL of the server; default: ARDEN_URL, else the running dev, else http://localhost:3000',
    )
    .option('--profile <name>', `profile to keep the key in; default: ARDEN_PROFILE, else default`)
    .option('--no-browser', 'only print the link')
    .option('--json', 'print JSON, for programs')
    .action(async ({ url: option, profile, browser, json }) => {
      const url = await findUrl(option)
      await checkProfiles()
      const key = await signIn(url, browser)
      const name = profile ?? (process.env.ARDEN_PROFILE || DEFAULT_PROFILE)
      const previous = await keep(name, { url, key: key.key })
      if (previous !== undefined)
        printNote(
          'yellow',
          `The profile had another key, ${prefixOfValue(previous.key)}..., which stays valid. Revoke it in the dashboard if it is not used elsewhere.`,
        )
      noteWhatComesBefore(name)
      const { id, mode, scopes } = key
      if (json) printJson({ profile: name, url, id, name: key.name, mode, scopes })
      else
        print(
          `Signed in to ${withoutCredentials(url)} with the ${mode} key "${key.name}" (${scopes.join(', ')}). Commands use it as the profile "${name}".`,
        )
    })

/**
 * Stores the profile; returns the one it replaces.
 * @throws {StartError} when the file cannot be written: the key, which is then nowhere, is revoked.
 */
const keep = async (name: string, profile: Profile): Promise<Profile | undefined> => {
  try {
    return await saveProfile(name, profile)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const problem = await revokeKey(profile)
    throw new StartError(
      `${error.message} ${problem === undefined ? 'The key is revoked.' : notRevoked(problem)}`,
    )
  }
}

/** Waits until a user approves the sign-in. @throws {StartError} when that takes too long. */
const signIn = async (url: string, withBrowser: boolean): Promise<ApiKeyWithValue> => {
  const secret = newToken()
  // First, so that the user sees at once when the server cannot be reached.
  await claimKey(url, secret)
  const challenge = hashToken(secret).toString('base64url')
  const query = new URLSearchParams({ challenge, client: cliActor().id })
  const link = `${url}${DASHBOARD}/test/connect?${query}`
  printNote('bold', `Open this link, and check that it shows the code ${codeOf(challenge)}:`)
  printNote('bold', link)
  if (withBrowser) openBrowser(link)
  const deadline = performance.now() + APPROVAL_MS
  while (performance.now() < deadline) {
    await sleep(POLL_MS)
    const claim = await claimKey(url, secret).catch(ignoreUnreachable)
    if ('key' in claim && claim.key !== null) return claim.key
    if ('retryAfterMs' in claim) await sleep(claim.retryAfterMs)
  }
  throw new StartError('The sign-in was not approved within 10 minutes. Run `arden login` again.')
}

/** The server may restart while the user reads the page. */
const ignoreUnreachable = (error: unknown): { key: null } => {
  if (error instanceof StartError && error.exitCode === EXIT.unreachable) return { key: null }
  throw error
}
