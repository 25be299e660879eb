import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { resolveAccount } from '../../accounts/store'
import { readConfig } from '../../config'
import type { Sql } from '../../db/connect'
import { type Detail, invalidMembers } from '../../errors'
import { isDateTime } from '../../http/date-time'
import { createMemberCheck } from '../../http/request/member-check'
import { checkKeyLimit } from '../../keys/key-limit'
import { type ApiKey, NewApiKey, RATE_LIMIT_DEFAULT, RATE_LIMIT_MAX } from '../../keys/schema'
import { accountOfKey, createKey, listKeys, revokeKey } from '../../keys/store'
import { ALL_MODES } from '../../keys/visibility'
import { toTerminalLine } from '../../terminal'
import { readId } from '../ids'
import { wholeNumber } from '../number'
import { print, printJson, table } from '../print'
import { accountOption } from './accounts'
import { withDatabase } from './database'

const PAGE_SIZE = 100

export const keysCommand = () =>
  new Command('keys')
    .description('API keys: create, list, revoke.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())

const createCommand = () =>
  new Command('create')
    .description('Create an API key. Its value is printed once and cannot be retrieved later.')
    .requiredOption('--name <name>', 'what the key is for, 1 to 100 characters')
    .addOption(
      new Option('--mode <mode>', 'live keys count against the plan, test keys are free')
        .choices(['live', 'test'] as const)
        .default('test' as const),
    )
    .addOption(
      new Option('--scopes <scopes>', 'read, write, or both')
        .argParser(readScopes)
        .default(BOTH_SCOPES, 'read,write'),
    )
    .option(
      '--rate-limit <requests>',
      `requests per hour, 1 to ${RATE_LIMIT_MAX}`,
      wholeNumber(1, RATE_LIMIT_MAX),
      RATE_LIMIT_DEFAULT,
    )
    .option(
      '--expires-at <time>',
      'ISO 8601, e.g. 2027-01-31T12:00:00Z; default: never',
      readExpiry,
    )
    .addOption(accountOption())
    .option('--json', 'print the key as one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  arden keys create --name "Production" --mode live --scopes read,write --json',
    )
    .action(({ name, mode, scopes, rateLimit, expiresAt, account, json }) =>
      withDatabase(async sql => {
        const input = checkInput({
          name,
          mode,
          scopes,
          rate_limit: rateLimit,
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        })
        const { id } = await resolveAccount(sql, account)
        const by = { accountId: id, actor: cliActor(), address: null }
        const max = readConfig(process.env).maxKeys
        const key = await sql.begin(async tx => {
          await checkKeyLimit(tx, { accountId: id, mode, max })
          return createKey(tx, by, { ...input, mode })
        })
        if (json) return printJson(key)
        print(table([...lines(key), ['key', key.key]]))
        print('\nThe value is shown only now. Keep it in a safe place.')
      }),
    )

const listCommand = () =>
  new Command('list')
    .description('List API keys, newest first.')
    .addOption(
      new Option('--status <status>', 'which keys')
        .choices(['active', 'revoked', 'expired', 'all'] as const)
        .default('active' as const),
    )
    .addOption(accountOption())
    .option('--json', 'print the keys as one JSON array')
    .action(({ status, account, json }) =>
      withDatabase(async sql => {
        const { id } = await resolveAccount(sql, account)
        const keys = await listAllKeys(sql, id, status)
        if (json) return printJson(keys)
        if (keys.length === 0) return print(`No keys (status ${status}).`)
        const heads = [
          'ID',
          'NAME',
          'PREFIX',
          'MODE',
          'SCOPES',
          'LIMIT',
          'STATUS',
          'EXPIRES',
          'LAST USED',
        ]
        print(table([heads, ...keys.map(columns)]))
      }),
    )

const revokeCommand = () =>
  new Command('revoke')
    .description('Revoke an API key, at once and permanently.')
    .argument('<id>', 'id of the key (key_...), from "keys list"', readId('key'))
    .option('--json', 'print the key as one JSON object')
    .action((id, { json }) =>
      withDatabase(async sql => {
        const key = await sql.begin(async tx => {
          const accountId = await accountOfKey(tx, id)
          const access = { accountId, actor: cliActor(), address: null, modes: ALL_MODES }
          return revokeKey(tx, access, id)
        })
        if (json) return printJson(key)
        print(
          `Revoked ${key.id} (${toTerminalLine(key.name)}). Requests with it are refused from now on.`,
        )
      }),
    )

const DAY_MS = 86_400_000

/** With a time that is valid, for those who typed `tomorrow`. */
const readExpiry = (text: string): string => {
  if (isDateTime(text)) return text
  const example = new Date(Date.now() + DAY_MS).toISOString()
  throw new InvalidArgumentError(`It must be a time in ISO 8601. In 24 hours it is ${example}.`)
}

const BOTH_SCOPES: readonly string[] = ['read', 'write']

/** Those of the same option before it are kept, unlike the default. */
const readScopes = (text: string, before: readonly string[]): readonly string[] => {
  const scopes = text.split(',').map(scope => scope.trim())
  if (scopes.every(scope => BOTH_SCOPES.includes(scope)))
    return [...new Set([...(before === BOTH_SCOPES ? [] : before), ...scopes])]
  throw new InvalidArgumentError('It must be read, write, or both, as in read,write.')
}

/** @throws {DomainError} VALIDATION_ERROR, by the schema of `POST /api-keys`. */
const checkInput = (input: unknown): NewApiKey => {
  const wrong: Detail[] = []
  if (createMemberCheck(NewApiKey)(input, wrong)) return input
  throw invalidMembers(wrong)
}

const listAllKeys = async (
  sql: Sql,
  accountId: string,
  status: Parameters<typeof listKeys>[2],
): Promise<ApiKey[]> => {
  const keys: ApiKey[] = []
  for (let before: string | null = null; ; ) {
    const page = await listKeys(sql, { accountId, modes: ALL_MODES }, status, {
      limit: PAGE_SIZE,
      before,
    })
    keys.push(...page.rows)
    before = page.next
    if (before === null) return keys
  }
}

const columns = (key: ApiKey): string[] => [
  key.id,
  key.name,
  key.prefix,
  key.mode,
  key.scopes.join(','),
  `${key.rate_limit}/h`,
  key.status,
  key.expires_at ?? 'never',
  key.last_used_at ?? 'never',
]

const lines = (key: ApiKey): string[][] => [
  ['id', key.id],
  ['name', key.name],
  ['mode', key.mode],
  ['scopes', key.scopes.join(', ')],
  ['rate limit', `${key.rate_limit} requests per hour`],
  ['expires', key.expires_at ?? 'never'],
]
