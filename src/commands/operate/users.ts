import { Argument, Command, Option } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { resolveAccount } from '../../accounts/store'
import { readConfig } from '../../config'
import { findRunningDev } from '../../local/data-dir'
import { listLinks, revokeLink } from '../../people/pending-links'
import { type PendingLink, type Person, ROLES } from '../../people/schema'
import { linkUrl } from '../../people/sign-in-links'
import { resetSignIn } from '../../people/sign-in-reset'
import {
  findPersonByEmail,
  hasOwner,
  invitePerson,
  listPeople,
  updatePerson,
} from '../../people/store'
import { readId } from '../ids'
import { print, printJson, printNote, table } from '../print'
import { accountOption } from './accounts'
import { withDatabase } from './database'
import { disableUserCommand, withoutOwner } from './disable-user'

export const usersCommand = () =>
  new Command('users')
    .description('Users of the dashboard, and their sign-in links.')
    .addCommand(inviteCommand())
    .addCommand(listCommand())
    .addCommand(disableUserCommand())
    .addCommand(enableCommand())
    .addCommand(setRoleCommand())
    .addCommand(resetSignInCommand())
    .addCommand(linksCommand())
    .addCommand(revokeLinkCommand())

const inviteCommand = () =>
  new Command('invite')
    .description(
      'Print a link with which a user signs in once, within 24 hours, and sets a password. For an existing user it resets the password.',
    )
    .addOption(accountOption())
    .addOption(
      new Option(
        '--role <role>',
        'owners also manage users, viewers can only read; default: member; for an existing user or a pending invitation the present role (change it with "users set-role")',
      ).choices(ROLES),
    )
    .option(
      '--email <address>',
      'email address of the user; default: entered when the link is used',
    )
    .option('--json', 'print the link as one JSON object')
    .addHelpText('after', '\nExample:\n  arden users invite --role owner --email ada@example.com')
    .action(({ account, role, email, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const by = { accountId: id, actor: cliActor(), address: null }
        const link = await sql.begin(tx =>
          invitePerson(tx, by, {
            ...(email !== undefined && { email }),
            ...(role !== undefined && { role }),
          }),
        )
        const url = linkUrl(await baseUrl(), link)
        if (json) return printJson({ url, expires_at: link.expires_at })
        print(url)
        print(
          `\nThe link works once, until ${link.expires_at}. Anyone who has it can sign in: send it securely.`,
        )
      }),
    )

const listCommand = () =>
  new Command('list')
    .description('List the users of an account, newest first.')
    .addOption(accountOption())
    .option('--json', 'print the users as one JSON array')
    .action(({ account, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const people = await listPeople(sql, id)
        if (json) return printJson(people)
        if (people.length === 0)
          return print(
            `No users yet. Invite one with: arden users invite${account === undefined ? '' : ` --account ${id}`}`,
          )
        print(table([['ID', 'EMAIL', 'ROLE', 'STATUS', 'LAST SEEN'], ...people.map(columns)]))
      }),
    )

const enableCommand = () =>
  new Command('enable')
    .description('Allow a disabled user to sign in again.')
    .argument('<email>', 'email address, from "users list"')
    .option('--json', 'print the user as one JSON object')
    .action((email, { json }) =>
      withDatabase(async sql => {
        const { id, accountId } = await findPersonByEmail(sql, email)
        const by = { accountId, actor: cliActor(), address: null }
        const person = await sql.begin(tx => updatePerson(tx, by, id, { disabled: false }))
        if (json) return printJson(person)
        print(`${person.email} is enabled.`)
        if (!(await hasOwner(sql, accountId))) print(withoutOwner(accountId))
      }),
    )

const setRoleCommand = () =>
  new Command('set-role')
    .description(
      'Change the role of a user, such as that of a member when the only owner has left.',
    )
    .argument('<email>', 'email address, from "users list"')
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .option('--json', 'print the user as one JSON object')
    .action((email, role, { json }) =>
      withDatabase(async sql => {
        const { id, accountId } = await findPersonByEmail(sql, email)
        const by = { accountId, actor: cliActor(), address: null }
        const person = await sql.begin(tx => updatePerson(tx, by, id, { role }))
        if (json) return printJson(person)
        print(`The role of ${person.email} is ${role}.`)
        if (person.status === 'disabled')
          print(
            `The user is disabled: \`arden users enable ${person.email}\` lets the user sign in again.`,
          )
        if (!(await hasOwner(sql, accountId))) print(withoutOwner(accountId))
      }),
    )

const resetSignInCommand = () =>
  new Command('reset-sign-in')
    .description(
      'Remove the passkeys of a person and the links to a sign-in provider, and end their sessions. The password stays.',
    )
    .argument('<email>', 'email address, from "users list"')
    .option('--json', 'print what was removed as one JSON object')
    .action((email, { json }) =>
      withDatabase(async sql => {
        const { id, accountId } = await findPersonByEmail(sql, email)
        const by = { accountId, actor: cliActor(), address: null }
        const removed = await sql.begin(tx => resetSignIn(tx, by, id))
        if (json) return printJson(removed)
        print(
          `${email}: removed. Passkeys: ${removed.passkeys}; links to a provider: ${removed.identities}.`,
        )
      }),
    )

const linksCommand = () =>
  new Command('links')
    .description('List the sign-in links of an account that are neither used nor expired.')
    .addOption(accountOption())
    .option('--json', 'print the links as one JSON array')
    .action(({ account, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const links = await listLinks(sql, id)
        if (json) return printJson(links)
        if (links.length === 0) return print('No pending links.')
        print(
          table([
            ['ID', 'EMAIL', 'ROLE', 'CREATED BY', 'EXPIRES', 'EMAIL NOT SENT'],
            ...links.map(columnsOfLink),
          ]),
        )
      }),
    )

const revokeLinkCommand = () =>
  new Command('revoke-link')
    .description('Revoke a sign-in link, so that it no longer signs in.')
    .argument('<id>', 'id of the link (lnk_...), from "users links"', readId('lnk'))
    .addOption(accountOption())
    .option('--json', 'print the revoked link as one JSON object')
    .action((linkId, { account, json }) =>
      withDatabase(async sql => {
        const { id: accountId } = await resolveAccount(sql, account)
        const by = { accountId, actor: cliActor(), address: null }
        const link = await sql.begin(tx => revokeLink(tx, by, linkId))
        if (json) return printJson(link)
        print(`The link ${link.id} is revoked.`)
      }),
    )

const columnsOfLink = (link: PendingLink): string[] => [
  link.id,
  link.email ?? 'entered when used',
  link.role,
  link.created_by,
  link.expires_at,
  link.email_error ?? '',
]

/** The URL of the dashboard: from the settings, or of the running `dev` if the command is about its database. */
const baseUrl = async (): Promise<string> => {
  const { publicUrl, databaseUrl, dataDir, port } = readConfig(process.env)
  if (publicUrl !== undefined) return publicUrl
  const dev = await findRunningDev(dataDir)
  if (dev !== undefined && (databaseUrl ?? dev.databaseUrl) === dev.databaseUrl) return dev.url
  printNote(
    'yellow',
    'ARDEN_PUBLIC_URL is not set here, so the link leads to this machine. Set it to the URL of the dashboard, as for serve.',
  )
  return `http://localhost:${port}`
}

const columns = (person: Person): string[] => [
  person.id,
  person.email,
  person.role,
  person.status,
  person.last_seen_at ?? 'never',
]
