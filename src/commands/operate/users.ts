import { Command, Option } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { resolveAccount } from '../../accounts/store'
import { readConfig } from '../../config'
import { findRunningDev } from '../../local/data-dir'
import { type Person, ROLES } from '../../people/schema'
import { linkUrl } from '../../people/sign-in-links'
import { findPersonByEmail, invitePerson, listPeople, updatePerson } from '../../people/store'
import { print, printJson, table } from '../print'
import { withDatabase } from './database'

export const usersCommand = () =>
  new Command('users')
    .description('People who sign in to the dashboard: invite, list, disable, enable.')
    .addCommand(inviteCommand())
    .addCommand(listCommand())
    .addCommand(
      switchCommand('disable', 'End the sessions of a person, who cannot sign in any more.'),
    )
    .addCommand(switchCommand('enable', 'Let a disabled person sign in again.'))

const accountOption = () =>
  new Option('--account <id>', 'the account; not needed while there is only one')

const inviteCommand = () =>
  new Command('invite')
    .description(
      'Print a link that lets someone in once, for 24 hours, to choose a password. For a person who is there already it sets a new password.',
    )
    .addOption(accountOption())
    .addOption(
      new Option('--role <role>', 'owners also manage people, viewers only read')
        .choices(ROLES)
        .default('member' as const),
    )
    .option('--email <address>', 'whose link it is; without it, who uses the link says theirs')
    .option('--json', 'print the link as one JSON object')
    .addHelpText('after', '\nExample:\n  arden users invite --role owner --email ada@example.com')
    .action(({ account, role, email, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const by = { accountId: id, actor: cliActor(), address: null }
        const link = await sql.begin(tx =>
          invitePerson(tx, by, email === undefined ? { role } : { email, role }),
        )
        const url = linkUrl(await baseUrl(), link)
        if (json) return printJson({ url, expires_at: link.expires_at })
        print(url)
        print(`\nIt works once, until ${link.expires_at}. Whoever has it gets in: send it safely.`)
      }),
    )

const listCommand = () =>
  new Command('list')
    .description('List the people of an account, newest first.')
    .addOption(accountOption())
    .option('--json', 'print the people as one JSON array')
    .action(({ account, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const people = await listPeople(sql, id)
        if (json) return printJson(people)
        if (people.length === 0) return print('Nobody yet. Invite someone: arden users invite')
        print(table([['ID', 'EMAIL', 'ROLE', 'STATUS', 'LAST SEEN'], ...people.map(columns)]))
      }),
    )

const switchCommand = (name: 'disable' | 'enable', description: string) =>
  new Command(name)
    .description(description)
    .argument('<email>', 'the email address, as "users list" shows it')
    .option('--json', 'print the person as one JSON object')
    .action((email, { json }) =>
      withDatabase(async sql => {
        const { id, accountId } = await findPersonByEmail(sql, email)
        const by = { accountId, actor: cliActor(), address: null }
        const person = await sql.begin(tx =>
          updatePerson(tx, by, id, { disabled: name === 'disable' }),
        )
        if (json) return printJson(person)
        print(`${person.email} is ${name}d.`)
      }),
    )

/** Where the dashboard is, as far as a command can know. */
const baseUrl = async (): Promise<string> => {
  const { publicUrl, dataDir, port } = readConfig(process.env)
  return publicUrl ?? (await findRunningDev(dataDir))?.url ?? `http://localhost:${port}`
}

const columns = (person: Person): string[] => [
  person.id,
  person.email,
  person.role,
  person.status,
  person.last_seen_at ?? 'never',
]
