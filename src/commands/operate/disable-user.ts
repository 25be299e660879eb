import { Command } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { keysOfPerson } from '../../keys/store'
import { listLinks } from '../../people/pending-links'
import { findPersonByEmail, hasOwner, updatePerson } from '../../people/store'
import { print, printJson, table } from '../print'
import { withDatabase } from './database'

/** Of an account without an active owner. */
export const withoutOwner = (accountId: string): string =>
  `\nThe account has no active owner now. \`arden users invite --role owner --account ${accountId}\` creates one, and \`arden users enable\` lets a disabled one return.`

/** `arden users disable`: also says what outlives the user's sessions. */
export const disableUserCommand = () =>
  new Command('disable')
    .description(
      'Prevent a user from signing in, and end their sessions. Their API keys keep working, and are listed.',
    )
    .argument('<email>', 'email address, from "users list"')
    .option('--json', 'print the user, and what keeps working, as one JSON object')
    .action((email, { json }) =>
      withDatabase(async sql => {
        const { id, accountId } = await findPersonByEmail(sql, email)
        const by = { accountId, actor: cliActor(), address: null }
        const person = await sql.begin(tx => updatePerson(tx, by, id, { disabled: true }))
        const has_owner = await hasOwner(sql, accountId)
        // Of an account that is stopped by this, they let people in. Of another one they are everyday invitations.
        const links = has_owner ? [] : await listLinks(sql, accountId)
        const keys = await keysOfPerson(sql, { accountId, personId: id })
        if (json) return printJson({ ...person, has_owner, links, keys })
        print(`${person.email} is disabled.`)
        if (!has_owner) print(withoutOwner(accountId))
        if (links.length > 0) {
          print('\nSign-in links that were not used still let people in. To end them:')
          print(
            table(
              links.map(link => [
                `arden users revoke-link ${link.id} --account ${accountId}`,
                link.role,
                link.email ?? '',
              ]),
            ),
          )
        }
        if (keys.length === 0) return
        print(
          '\nAPI keys that they created or regenerated, also with other keys, keep working. Revoke those that should stop:',
        )
        print(table(keys.map(key => [`arden keys revoke ${key.id}`, key.mode, key.name])))
      }),
    )
