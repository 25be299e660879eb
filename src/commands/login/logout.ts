import { Command } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { print, printJson, printNote } from '../print'
import { describeUnusedProfiles, findProfile, removeProfile } from '../profiles'
import { notRevoked, revokeKey } from './revoke'

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
      const { name, url } = profile
      const problem = await revokeKey(profile)
      await removeProfile(name)
      if (json) printJson({ profile: name, revoked: problem === undefined })
      else print(`Signed out of ${url}. The profile "${name}" is removed.`)
      const unused = await describeUnusedProfiles()
      if (unused !== undefined) printNote('yellow', unused)
      if (problem !== undefined)
        throw new StartError(notRevoked(problem), { exitCode: problem.exitCode })
    })
