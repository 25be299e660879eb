import { join } from 'node:path'
import { cliActor } from './accounts/cli-actor'
import { ensureFirstAccount, listAccounts } from './accounts/store'
import type { Mode } from './caller'
import type { Config } from './config'
import { MAIL_PAGE } from './dashboard/paths'
import { connect, describeUrl, type Sql, withTimeout } from './db/connect'
import { explainDatabaseError } from './db/database-error'
import { migrate } from './db/migrate'
import { schemaState } from './db/schema-state'
import { StartError } from './errors'
import { byName } from './http/server'
import { createKey } from './keys/store'
import { ensureEncryptionKey, prepareDataDir, registerRunningDev } from './local/data-dir'
import { httpGet } from './local/http-get'
import { isPortFree } from './local/ports'
import { startPostgres } from './local/postgres/server'
import { createProgressLine } from './local/progress-line'
import { findTemporal } from './local/temporal/find'
import { startTemporalWithUi } from './local/temporal/server'
import { createLog } from './log'
import { createMailbox } from './mail/mailbox'
import type { MailTarget } from './mail/target'
import { createLink, DEV_LINK_HOURS, endLinksFor, linkUrl } from './people/sign-in-links'
import { ensurePerson } from './people/store'
import { waitForStopSignal } from './signals'
import { start } from './start'
import { SEARCH_ATTRIBUTES } from './temporal/search-attributes'

/** The user of the sign-in link that `dev` prints. */
const OWNER_EMAIL = 'dev@localhost'
/** How a user runs the other commands. */
const ARDEN_COMMAND = Bun.isStandaloneExecutable ? 'arden' : 'bun run arden'
/** The usual port of the Temporal UI. If it is in use, `dev` picks a free one. */
const TEMPORAL_UI_PORT = 8233
/** Time for the API to become ready, in ms. Longer than its own wait for the database. */
const READY_TIMEOUT_MS = 10_000
/** A stop that takes longer, in ms, says what it waits for. */
const SILENT_STOP_MS = 2_000
/** Time for a pool to close when its database does not respond, in seconds. */
const CLOSE_TIMEOUT_S = 1

/**
 * Starts everything needed to try Arden, and stops it on Ctrl-C.
 * @throws {StartError} when a part cannot start; the others are stopped.
 */
export const dev = async (config: Config) => {
  const progress = createProgressLine()
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const part of stops.splice(0).reverse()) await part()
  }
  // Registered before the start, which can take minutes the first time.
  const stopped = waitForStopSignal(() => reportSlowStop(stop()))
  try {
    if (config.port !== 0 && !(await isPortFree(config.port)))
      throw new StartError(
        `Port ${config.port} is in use. Stop the program that uses it, or set PORT to another port.`,
      )
    await prepareDataDir(config.dataDir)
    if (config.databaseUrl !== undefined) await requireOwnDatabase(config.databaseUrl)

    const [databaseUrl, temporal] = await Promise.all([
      startDatabase(config, stops, progress),
      startTemporalServer(config, stops, progress),
    ])
    progress('Starting the API and a worker ...')
    await prepareDatabase(databaseUrl)
    const encryptionKeys =
      config.encryptionKeys ??
      ([Buffer.from(await ensureEncryptionKey(config.dataDir), 'hex')] satisfies [Buffer])
    const mailbox = config.mail === undefined ? createMailbox() : undefined
    const settings = { ...config, ...temporal, databaseUrl, encryptionKeys, mailbox }
    const running = await start(settings, { serve: true, worker: true }, createLog(config))
    stops.push(running.stop)
    await running.ready
    const { status, body } = await httpGet(`${running.url}/readyz`, READY_TIMEOUT_MS)
    if (status !== 200) throw new StartError(`The API is not ready: ${body}`)
    const { temporalAddress } = temporal
    const url = byName(running.url)
    stops.push(await registerRunningDev(config.dataDir, { databaseUrl, temporalAddress, url }))

    // Last, so that keys are only created if they are also shown.
    const keys = await createFirstKeys(databaseUrl)
    const token = await createSignInLink(databaseUrl)
    const link = token === undefined ? undefined : linkUrl(url, token)
    progress.end()
    const data = config.databaseUrl === undefined ? config.dataDir : describeUrl(databaseUrl)
    process.stdout.write(welcome(url, link, data, settings, keys))
  } catch (error) {
    progress.end()
    await stop()
    throw error
  }
  await stopped
}

const reportSlowStop = async (stopping: Promise<void>) => {
  const waiting = setTimeout(
    () => process.stderr.write('Running attempts have time to end. Ctrl-C again stops at once.\n'),
    SILENT_STOP_MS,
  )
  await stopping.finally(() => clearTimeout(waiting))
}

type Stops = (() => Promise<unknown>)[]
type ShowProgress = (text: string) => void

const startDatabase = async (config: Config, stops: Stops, say: ShowProgress): Promise<string> => {
  if (config.databaseUrl !== undefined) return config.databaseUrl
  say('Starting PostgreSQL ...')
  const postgres = await startPostgres({ dir: join(config.dataDir, 'postgres') })
  stops.push(postgres.stop)
  return postgres.url
}

const startTemporalServer = async (config: Config, stops: Stops, say: ShowProgress) => {
  const { temporalAddress, temporalUiUrl } = config
  if (temporalAddress !== undefined) return { temporalAddress, temporalUiUrl }
  const path = await findTemporal(say)
  say('Starting Temporal ...')
  const dir = join(config.dataDir, 'temporal')
  const temporal = await startTemporalWithUi(
    { path, dir, port: 0, searchAttributes: SEARCH_ATTRIBUTES },
    TEMPORAL_UI_PORT,
  )
  stops.push(temporal.stop)
  return {
    temporalAddress: temporal.address,
    temporalNamespace: 'default',
    temporalUiUrl: temporal.uiUrl,
    embedded: true,
  }
}

/** @throws {StartError} for the database of an installation: it would get an owner, a worker and a mailbox. */
const requireOwnDatabase = (url: string) =>
  withExplainedErrors(url, async sql => {
    // `migrate` refuses that of another application.
    if ((await withTimeout(schemaState(sql))).version === 0) return
    const installed = await sql`
      SELECT FROM accounts
      WHERE NOT EXISTS (SELECT FROM people WHERE email = ${OWNER_EMAIL} AND disabled_at IS NULL)
      LIMIT 1`
    if (installed.length > 0)
      throw new StartError(
        `The database at ${describeUrl(url)} is that of an installation: it has accounts, and ${OWNER_EMAIL} is not there or is disabled. dev would add an owner, deliver its webhooks and keep its emails. Unset DATABASE_URL to use a database in ARDEN_DATA_DIR, or run \`arden serve\` and \`arden worker\` instead.`,
      )
  })

const prepareDatabase = (url: string) =>
  withExplainedErrors(url, async sql => {
    await withTimeout(sql`SELECT 1`)
    await migrate(sql)
  })

/** For the first use of a database that may be another one than the user means. */
const withExplainedErrors = (url: string, work: (sql: Sql) => Promise<void>): Promise<void> =>
  withPool(url, sql =>
    work(sql).catch(error => {
      throw explainDatabaseError(url, error) ?? error
    }),
  )

/** Creates the first account with its owner and a key of each mode. Undefined if the database has an account. */
const createFirstKeys = (url: string) =>
  withPool(url, sql =>
    sql.begin(async tx => {
      const account = await ensureFirstAccount(tx, cliActor())
      if (account === undefined) return undefined
      await ensurePerson(tx, account.id, OWNER_EMAIL, 'owner')
      const by = { accountId: account.id, actor: cliActor(), address: null }
      const make = (mode: Mode) =>
        createKey(tx, by, { name: `dev ${mode}`, scopes: ['read', 'write'], mode })
      return { live: (await make('live')).key, test: (await make('test')).key }
    }),
  )

/** The token of a link that signs in as an owner of the first account, without a password. Undefined while that owner is disabled. */
const createSignInLink = (url: string) =>
  withPool(url, sql =>
    sql.begin(async tx => {
      const [account] = await listAccounts(tx)
      if (account === undefined) throw new Error('dev created no account')
      const disabled = await tx`
        SELECT FROM people WHERE email = ${OWNER_EMAIL} AND disabled_at IS NOT NULL`
      if (disabled.length > 0) return undefined
      const personId = await ensurePerson(tx, account.id, OWNER_EMAIL, 'owner')
      await endLinksFor(tx, personId)
      const by = { accountId: account.id, actor: cliActor() }
      return createLink(tx, by, { personId }, 'dev', DEV_LINK_HOURS)
    }),
  )

const withPool = async <T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connect(url, { name: 'arden dev', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: CLOSE_TIMEOUT_S })
  }
}

const welcome = (
  url: string,
  link: string | undefined,
  data: string,
  { temporalUiUrl, mailbox }: Pick<Config, 'temporalUiUrl'> & MailTarget,
  keys: { live: string; test: string } | undefined,
) =>
  [
    '',
    '  Arden is ready.',
    '',
    `  API          ${url}/api/public/v1`,
    ...(link === undefined
      ? [
          `  Dashboard    ${url}/dashboard`,
          `               (${OWNER_EMAIL} is disabled: sign in as another user, or enable it: ${ARDEN_COMMAND} users enable ${OWNER_EMAIL})`,
        ]
      : [
          `  Dashboard    ${link}`,
          `               (signs in once, within an hour; afterwards use ${url}/dashboard)`,
        ]),
    `  OpenAPI      ${url}/docs`,
    ...(mailbox === undefined ? [] : [`  Email        ${url}${MAIL_PAGE}`]),
    `  Temporal UI  ${temporalUiUrl ?? 'unknown; set ARDEN_TEMPORAL_UI_URL'}`,
    `  Data         ${data}`,
    '',
    ...(keys === undefined
      ? [
          `  The keys were shown at the first start. Create another: ${ARDEN_COMMAND} keys create --name mine`,
        ]
      : [
          `  Live key     ${keys.live}`,
          `  Test key     ${keys.test}`,
          `  The keys are shown once. Save them, or create others: ${ARDEN_COMMAND} keys create --name mine`,
        ]),
    '',
    '  Ctrl-C stops everything; the data is kept.',
    '',
    '',
  ].join('\n')
