import { type Arden, ArdenError, createArden } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { commandError } from '../api/connection'
import { print, printJson, printNote } from '../print'
import { findProfile, removeProfile } from '../profiles'

export const logoutCommand = () =>
  new Command('logout')
    .description('Sign out: revokes the API key of a profile, and removes the profile.')
    .option('--profile <name>', 'the profile; default: ARDEN_PROFILE, else the one in use')
    .option('--json', 'print JSON, for programs')
    .action(async ({ profile: option, json }) => {
      const profile = await findProfile(option ?? (process.env.ARDEN_PROFILE || undefined))
      if (profile === undefined)
        throw new StartError('Nothing to sign out from: no profile is in use.', {
          exitCode: EXIT.usage,
        })
      const { name, url, key } = profile
      const problem = await revoke(createArden({ url, apiKey: key, retries: 0 }), url)
      await removeProfile(name)
      if (problem !== undefined)
        printNote(
          'yellow',
          `The key was not revoked: ${problem} Revoke it on the page of API keys in the dashboard.`,
        )
      if (json) printJson({ profile: name, revoked: problem === undefined })
      else print(`Signed out of ${url}. The profile "${name}" is removed.`)
    })

/** Returns why the key is not revoked. A key with the scope `read` cannot revoke itself. */
const revoke = async (api: Arden, url: string): Promise<string | undefined> => {
  try {
    const { data } = await api.get('/api-keys/current')
    await api.delete('/api-keys/{id}', { path: { id: data.id } })
    return undefined
  } catch (error) {
    if (!(error instanceof ArdenError)) throw error
    // It was revoked before.
    return error.code === 'UNAUTHORIZED' ? undefined : commandError(error, url).message
  }
}
