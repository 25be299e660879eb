import { Argument, Command, Option } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import {
  type Account,
  createAccount,
  getAccount,
  listAccounts,
  MONTHLY_GENERATIONS_MAX,
  setPlan,
} from '../../accounts/store'
import { readConfig } from '../../config'
import { conflict } from '../../errors'
import { NO_PROVIDER, setRequiredSignIn } from '../../people/required-sign-in'
import { REQUIRED_SIGN_INS } from '../../people/schema'
import { toTerminalLine } from '../../terminal'
import { readId } from '../ids'
import { wholeNumber } from '../number'
import { print, printJson, table } from '../print'
import { withDatabase } from './database'

export const accountsCommand = () =>
  new Command('accounts')
    .description('Accounts, their plans, and how their users sign in.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(setPlanCommand())
    .addCommand(requireSignInCommand())

/** The account that a command acts on; `resolveAccount` reads it. */
export const accountOption = () =>
  new Option('--account <id>', 'id of the account; required when there are several').argParser(
    readId('acc'),
  )

const createCommand = () =>
  new Command('create')
    .description('Create an account. Create its keys with: arden keys create --account <id>')
    .requiredOption('--name <name>', 'name of the account, 1 to 100 characters')
    .option('--json', 'print the account as one JSON object')
    .action(({ name, json }) =>
      withDatabase(async sql => {
        const account = await sql.begin(tx => createAccount(tx, cliActor(), name))
        if (json) printJson(account)
        else print(table([HEADS, columns(account)]))
      }),
    )

const listCommand = () =>
  new Command('list')
    .description('List accounts, oldest first.')
    .option('--json', 'print the accounts as one JSON array')
    .action(({ json }) =>
      withDatabase(async sql => {
        const accounts = await listAccounts(sql)
        if (json) return printJson(accounts)
        if (accounts.length === 0)
          return print('No accounts yet. Create one with: arden accounts create --name <name>')
        print(table([HEADS, ...accounts.map(columns)]))
      }),
    )

const requireSignInCommand = () =>
  new Command('require-sign-in')
    .description(
      'Require that all users of an account sign in with a passkey or with single sign-on, or require nothing.',
    )
    .argument('<id>', 'id of the account (acc_...), from "accounts list"', readId('acc'))
    .addArgument(new Argument('<way>', 'what is required').choices(['any', ...REQUIRED_SIGN_INS]))
    .option('--json', 'print it as one JSON object')
    .action((account, way, { json }) =>
      withDatabase(async sql => {
        const required = REQUIRED_SIGN_INS.find(one => one === way) ?? null
        if (required === 'oidc' && readConfig(process.env).oidc === undefined)
          throw conflict(
            `${NO_PROVIDER} Set ARDEN_OIDC_ISSUER, ARDEN_OIDC_CLIENT_ID and ARDEN_OIDC_CLIENT_SECRET for this command too, with the values of serve.`,
          )
        const { id } = await getAccount(sql, account)
        const by = { accountId: id, actor: cliActor(), address: null }
        await sql.begin(tx => setRequiredSignIn(tx, by, required))
        if (json) printJson({ id, required_sign_in: required })
        else if (required === null) print(`The account ${id} permits every way to sign in.`)
        else print(`The account ${id} requires ${required}.`)
      }),
    )

const setPlanCommand = () =>
  new Command('set-plan')
    .description('Set the monthly quota of an account (months in UTC).')
    .argument('<id>', 'id of the account (acc_...), from "accounts list"', readId('acc'))
    .requiredOption(
      '--monthly-generations <n>',
      'live generations a month, 0 or more',
      wholeNumber(0, MONTHLY_GENERATIONS_MAX),
    )
    .option('--json', 'print the account as one JSON object')
    .action((id, { monthlyGenerations, json }) =>
      withDatabase(async sql => {
        const account = await sql.begin(tx => setPlan(tx, cliActor(), id, monthlyGenerations))
        if (json) return printJson(account)
        const name = toTerminalLine(account.name)
        print(
          `${account.id} (${name}) now has ${account.monthly_generations} live ${account.monthly_generations === 1 ? 'generation' : 'generations'} a month.`,
        )
      }),
    )

const HEADS = ['ID', 'NAME', 'GENERATIONS A MONTH', 'REQUIRED SIGN-IN', 'CREATED']

const columns = (account: Account): string[] => [
  account.id,
  account.name,
  String(account.monthly_generations),
  account.required_sign_in ?? 'any',
  account.created_at,
]
