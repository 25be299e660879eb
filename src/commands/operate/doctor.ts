import { Command } from '@commander-js/extra-typings'
import type { Config } from '../../config'
import type { EncryptionKeys } from '../../config/encryption-keys'
import { connect, type Sql } from '../../db/connect'
import {
  type CheckResult,
  describeCause,
  type Finding,
  fail,
  runChecks,
  skipped,
} from '../../doctor/check'
import { portChecks, readSettings } from '../../doctor/machine'
import { checkSystem } from '../../doctor/run'
import { ensureEncryptionKey, findRunningDev } from '../../local/data-dir'
import { createLog } from '../../log'
import type { Temporal } from '../../temporal/connection'
import { toTerminalJson } from '../../terminal'
import { table } from '../print'

export const doctorCommand = () =>
  new Command('doctor')
    .description(
      'Check settings, database, Temporal and workers, and show how to fix what fails. Changes nothing; the exit code is 1 when a check fails.',
    )
    .option('--json', 'print the checks as one JSON array')
    .action(async ({ json }) => {
      const { config: own, checks: wrong, invalid } = readSettings(process.env)
      const config = await withRunningDev(own)
      const database = openDatabase(config, invalid.has('DATABASE_URL'))
      const temporal = await temporalOf(config, invalid.has('TEMPORAL_ADDRESS'))
      const [port, rest] = await Promise.all([
        runChecks(portChecks(config)),
        hasNoServers(config) ? [] : checkSystem({ config, sql: database.sql, temporal }),
      ])
      const checks = [
        ...wrong,
        ...port,
        ...database.checks,
        ...rest.map(check => withoutInvalid(check, invalid)),
      ]
      const text = json ? toTerminalJson(checks) : table(checks.map(columns))
      // After an error, its handler ends the process.
      await new Promise<void>(written =>
        process.stdout.write(`${text}\n`, error => !error && written()),
      )
      // A check that timed out may keep the process alive for minutes.
      process.exit(checks.some(({ status }) => status === 'fail') ? 1 : 0)
    })

/** The setting that a check reads. */
const SETTINGS = new Map([
  ['encryption key', 'ARDEN_ENCRYPTION_KEY'],
  ['email', 'ARDEN_SMTP_URL'],
  ['temporal', 'TEMPORAL_ADDRESS'],
])

/** A setting that is invalid is named once, and is not reported as missing as well. */
const withoutInvalid = (check: CheckResult, invalid: ReadonlySet<string>): CheckResult =>
  invalid.has(SETTINGS.get(check.name) ?? '') ? { name: check.name, ...skipped('settings') } : check

const columns = ({ status, name, found, todo }: CheckResult): string[] => [
  status,
  name,
  todo === undefined ? found : `${found} - ${todo}`,
]

/** Without DATABASE_URL, the settings of the `dev` that runs on this data folder. */
const withRunningDev = async (config: Config): Promise<Config & { embedded?: boolean }> => {
  if (config.databaseUrl !== undefined) return config
  const dev = await findRunningDev(config.dataDir)
  if (dev === undefined) return config
  const { databaseUrl, temporalAddress, url } = dev
  const ofDev = process.env.PORT === undefined ? Number(URL.parse(url)?.port) : 0
  const encryptionKeys: EncryptionKeys = config.encryptionKeys ?? [
    Buffer.from(await ensureEncryptionKey(config.dataDir), 'hex'),
  ]
  const embedded = config.temporalAddress === undefined
  return {
    ...config,
    ...(embedded && { temporalAddress }),
    databaseUrl,
    encryptionKeys,
    embedded,
    port: ofDev || config.port,
  }
}

/** Whether no `dev` runs and nothing of production is set: then there is nothing to check but that. */
const hasNoServers = ({ databaseUrl, temporalAddress, encryptionKeys }: Config): boolean =>
  databaseUrl === undefined && temporalAddress === undefined && encryptionKeys === undefined

/** Without a usable DATABASE_URL, `checks` has the reason instead. */
const openDatabase = (
  { databaseUrl, dataDir }: Config,
  isInvalid: boolean,
): { sql?: Sql; checks: CheckResult[] } => {
  const cannot = (finding: Finding) => ({ checks: [{ name: 'database', ...finding }] })
  if (isInvalid) return cannot(skipped('settings'))
  if (databaseUrl === undefined)
    return cannot(
      fail(
        `DATABASE_URL is not set, and no \`arden dev\` runs on ${dataDir}.`,
        'Start `arden dev` in another terminal, or set ARDEN_DATA_DIR to the folder of one that runs. In production set DATABASE_URL, TEMPORAL_ADDRESS and ARDEN_ENCRYPTION_KEY.',
      ),
    )
  try {
    return { sql: connect(databaseUrl, { name: 'arden doctor', max: 4 }), checks: [] }
  } catch (error) {
    return cannot(fail(describeCause(error), 'Correct DATABASE_URL.'))
  }
}

/**
 * The checks of Temporal share one connection. The library is loaded here, before their timeouts begin: on a busy
 * machine that takes seconds.
 */
const temporalOf = async (
  config: Config & { embedded?: boolean },
  isInvalid: boolean,
): Promise<() => Promise<Temporal>> => {
  // Without an address it would be the Temporal of the default one.
  if (isInvalid) return () => Promise.reject(new Error('its address is invalid'))
  const loading = import('../../temporal/connection')
  // The check of Temporal reports that it could not be loaded.
  await loading.catch(() => {})
  const log = createLog({ logLevel: 'fatal', logFormat: config.logFormat })
  let connecting: Promise<Temporal> | undefined
  return () => {
    connecting ??= loading.then(({ connectTemporal }) => connectTemporal(config, log))
    return connecting
  }
}
