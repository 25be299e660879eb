import { Command } from '@commander-js/extra-typings'
import { print, printJson, table } from '../print'
import { modeOfKey, type Profile, readProfiles, switchProfile } from '../profiles'
import { noteWhatComesBefore } from './precedence'

export const profilesCommand = () =>
  new Command('profiles')
    .description('Profiles of `arden login`: list, use. `arden logout` removes one.')
    .addCommand(listCommand())
    .addCommand(useCommand())

const listCommand = () =>
  new Command('list')
    .description('List the profiles.')
    .option('--json', 'print JSON, for programs')
    .action(async ({ json }) => {
      const { current, profiles } = await readProfiles()
      const shown = Object.entries(profiles).map(([name, profile]) =>
        toShown(name, profile, name === current),
      )
      if (json) return printJson(shown)
      if (shown.length === 0) return print('No profiles. Sign in with: arden login')
      print(
        table([
          ['NAME', 'URL', 'MODE', 'IN USE'],
          ...shown.map(one => [one.name, one.url, one.mode, one.current ? 'yes' : '']),
        ]),
      )
    })

const useCommand = () =>
  new Command('use')
    .description('Make commands use a profile by default.')
    .argument('<name>', 'name of the profile, from "profiles list"')
    .option('--json', 'print JSON, for programs')
    .action(async (name, { json }) => {
      const shown = toShown(name, await switchProfile(name), true)
      noteWhatComesBefore(name)
      if (json) printJson(shown)
      else print(`Commands use the profile "${name}": the ${shown.mode} key of ${shown.url}.`)
    })

/** Without the key. */
const toShown = (name: string, { url, key }: Profile, current: boolean) => ({
  name,
  url,
  mode: modeOfKey(key),
  current,
})
