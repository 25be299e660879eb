import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { readDatabaseUrl } from './config/database-url'
import { readEncryptionKeys } from './config/encryption-keys'
import { llmSettings, readLlm } from './config/llm'
import { readMail } from './config/mail'
import { readOidc } from './config/oidc'
import { createSettingReader, type Env, SettingError } from './config/reader'
import { readSerp, serpSettings } from './config/serp'
import { readTracing, tracingSettings } from './config/tracing'
import { StartError } from './errors'

/** Concurrent deliveries of a worker, unless ARDEN_IN_FLIGHT sets another number. */
export const DEFAULT_IN_FLIGHT = 2000

/** Concurrent generations of a worker, unless ARDEN_GENERATIONS_IN_FLIGHT sets another number. */
const DEFAULT_GENERATIONS_IN_FLIGHT = 20

/** Every setting with its meaning, unit and default. Read once at start. */
export const settings = {
  PORT: 'TCP port of the API; 0 picks a free one. Default 3000.',
  ARDEN_METRICS_PORT:
    'TCP port of GET /metrics for Prometheus, on HOST; 0 picks a free one. Without it there are no metrics.',
  HOST: 'Address the API listens on. Default 0.0.0.0, in `dev` 127.0.0.1.',
  DATABASE_URL: 'postgres:// URL. Without it `dev` starts a PostgreSQL of its own.',
  PGSSLMODE:
    'TLS mode of connections to PostgreSQL where the URL has no sslmode: disable, prefer, require, verify-ca or verify-full. Default prefer.',
  PGSSLROOTCERT:
    'File with the authorities that PostgreSQL certificates are verified with, or system. Also sslrootcert in the URL.',
  PGSSLCERT: 'File with the client certificate of Arden. Also sslcert in the URL.',
  PGSSLKEY: 'File with the key of PGSSLCERT, unencrypted. Also sslkey in the URL.',
  PGSSLNEGOTIATION:
    'direct starts TLS without negotiation (PostgreSQL 17). Also sslnegotiation in the URL. Default postgres.',
  TEMPORAL_ADDRESS:
    'host:port of Temporal. Default: from the configuration file of Temporal, or localhost:7233; `dev` starts its own.',
  TEMPORAL_NAMESPACE:
    'Namespace of the workflows; each installation needs its own. Default "default".',
  LOG_LEVEL: 'trace, debug, info, warn, error or fatal. Default info, in `dev` warn.',
  ARDEN_LOG_FORMAT: 'json or pretty. Default json, in `dev` pretty.',
  ARDEN_DATA_DIR:
    'Folder for the data of `dev`: PostgreSQL, Temporal and the encryption key. Default .arden.',
  ARDEN_ENCRYPTION_KEY:
    '64 hexadecimal characters (32 bytes) that encrypt webhook secrets. Several, comma-separated, while the key is rotated: the first encrypts, all decrypt.',
  ARDEN_PUBLIC_URL:
    'Public URL of the API and the dashboard, such as https://arden.example.com. The dashboard accepts changes from its origin only.',
  ARDEN_OIDC_ISSUER:
    'Issuer URL of an OpenID Connect provider that users sign in with, such as https://accounts.google.com. Its redirect URI is ARDEN_PUBLIC_URL with /dashboard/sign-in/oidc.',
  ARDEN_OIDC_CLIENT_ID: 'Client ID of Arden at ARDEN_OIDC_ISSUER.',
  ARDEN_OIDC_CLIENT_SECRET: 'Client secret of Arden at ARDEN_OIDC_ISSUER.',
  ARDEN_SMTP_URL:
    'smtp:// or smtps:// URL of the mail server, with user and password where it needs them, such as smtp://user:password@mail.example.com:587. smtp:// uses STARTTLS. Without it Arden sends no email.',
  ARDEN_MAIL_FROM: 'Sender of emails, such as Arden <arden@example.com>.',
  ARDEN_TEMPORAL_UI_URL: 'URL of the Temporal UI, for links to workflows.',
  ARDEN_TRUSTED_PROXIES:
    'Addresses or CIDR ranges, comma-separated, whose X-Forwarded-For is trusted.',
  ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1 permits http and private addresses. Default 0, in `dev` 1.',
  ARDEN_TASK_QUEUE: 'Temporal task queue of the workers. Default arden.',
  ARDEN_WORKFLOW_BUNDLE:
    'File with the bundled workflow code. Default: the bundle in the binary; from source, bundled at start.',
  ...serpSettings,
  ...llmSettings,
  ARDEN_DISABLE_AFTER_DAYS:
    'Days of failed deliveries after which a webhook is disabled, 0..365; 0 disables none. Default 5.',
  ARDEN_MAX_KEYS: 'Maximum active API keys of an account in each mode, 1..1000000. Default 1000.',
  ARDEN_MAX_WEBHOOKS: 'Maximum webhooks of an account in each mode, 1..1000000. Default 100.',
  ARDEN_RETENTION_DAYS:
    'Days to keep events, deliveries, attempts and replaced versions of articles, 1..3650. Default 30.',
  ARDEN_WORKFLOWS:
    'every: each delivery is a workflow. on-retry, for high volume: a delivery becomes a workflow after its first attempt fails. Default every.',
  ARDEN_IN_FLIGHT: `Concurrent deliveries of a worker, 1..10000. Default ${DEFAULT_IN_FLIGHT}.`,
  ARDEN_GENERATIONS_IN_FLIGHT: `Concurrent steps of generations of a worker, each with one request, 1..1000; they take no slot of ARDEN_IN_FLIGHT. Default ${DEFAULT_GENERATIONS_IN_FLIGHT}.`,
  ...tracingSettings,
} as const

export type Config = ReturnType<typeof parse>

/**
 * Reads and checks the settings in `environment`.
 * @throws {SettingError} naming each invalid setting and its allowed values, in lines; `names` has what needs one, too.
 */
export const readConfig = (environment: Env): Config => {
  const { config, errors, invalid } = readValid(environment)
  if (errors.length === 0) return config
  throw new SettingError(errors.map(({ message }) => message).join('\n'), [...invalid])
}

/** Reads the valid settings, with an error for each other one; `invalid` has the names of those and of what needs them. */
export const readValid = (
  environment: Env,
): { config: Config; errors: SettingError[]; invalid: ReadonlySet<string> } => {
  const rest = { ...environment }
  const errors: SettingError[] = []
  const invalid = new Set<string>()
  for (;;) {
    try {
      return { config: parse(rest), errors, invalid }
    } catch (error) {
      if (!(error instanceof SettingError) || !error.names.some(name => name in rest)) throw error
      // A setting that was removed here because it is invalid is not missing as well.
      if (![...invalid].some(name => error.message.startsWith(`${name} is not set`)))
        errors.push(error)
      for (const name of error.names) {
        delete rest[name]
        invalid.add(name)
      }
    }
  }
}

const parse = (environment: Env) => {
  const env = withoutSurplus(environment)
  checkCertificatesAreVerified(env)
  checkQuotes(env)
  const reader = createSettingReader(env, settings)
  const { text, integer, oneOf, flag, url, origin, address, ranges } = reader
  const port = integer('PORT', 3000, 0, 65_535)
  const metricsPort =
    text('ARDEN_METRICS_PORT') === undefined
      ? undefined
      : integer('ARDEN_METRICS_PORT', 0, 0, 65_535)
  // `worker` listens on the second only, whatever the default of the first is.
  if (metricsPort === port && port !== 0 && text('PORT') !== undefined)
    throw reader.settingError('ARDEN_METRICS_PORT', `is ${port}, which is PORT as well`)
  return {
    port,
    metricsPort,
    host: text('HOST') ?? '0.0.0.0',
    databaseUrl: readDatabaseUrl(reader),
    temporalAddress: address('TEMPORAL_ADDRESS'),
    temporalNamespace: text('TEMPORAL_NAMESPACE'),
    temporalEnvironment: temporalEnvironment(env),
    logLevel: oneOf('LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'fatal']),
    logFormat: oneOf('ARDEN_LOG_FORMAT', ['json', 'pretty']),
    dataDir: resolve(text('ARDEN_DATA_DIR') ?? '.arden'),
    encryptionKeys: readEncryptionKeys(reader),
    publicUrl: origin('ARDEN_PUBLIC_URL'),
    mail: readMail(reader),
    oidc: readOidc(reader),
    temporalUiUrl: url('ARDEN_TEMPORAL_UI_URL'),
    trustedProxies: ranges('ARDEN_TRUSTED_PROXIES'),
    allowPrivateWebhooks: flag('ARDEN_ALLOW_PRIVATE_WEBHOOKS'),
    taskQueue: text('ARDEN_TASK_QUEUE') ?? 'arden',
    workflowBundle: text('ARDEN_WORKFLOW_BUNDLE'),
    serp: readSerp(reader),
    serpInFlight: integer('ARDEN_SERP_IN_FLIGHT', 16, 1, 1000),
    llm: readLlm(reader),
    disableAfterDays: integer('ARDEN_DISABLE_AFTER_DAYS', 5, 0, 365),
    maxKeys: integer('ARDEN_MAX_KEYS', 1000, 1, 1_000_000),
    maxWebhooks: integer('ARDEN_MAX_WEBHOOKS', 100, 1, 1_000_000),
    retentionDays: integer('ARDEN_RETENTION_DAYS', 30, 1, 3650),
    workflows: oneOf('ARDEN_WORKFLOWS', ['every', 'on-retry']),
    inFlight: integer('ARDEN_IN_FLIGHT', DEFAULT_IN_FLIGHT, 1, 10_000),
    generationsInFlight: integer(
      'ARDEN_GENERATIONS_IN_FLIGHT',
      DEFAULT_GENERATIONS_IN_FLIGHT,
      1,
      1000,
    ),
    tracing: readTracing(env),
    /** Identifies this process in worker heartbeats and in Temporal. */
    identity: `${hostname()}:${process.pid}`,
  }
}

/** The variable turns off the check of certificates for every connection of the process. */
const checkCertificatesAreVerified = (env: Env): void => {
  const name = 'NODE_TLS_REJECT_UNAUTHORIZED'
  if (env[name] === '0')
    throw new SettingError(
      `${name} is 0, which turns off the check of certificates. Remove it. For a database with a private certificate authority, set PGSSLROOTCERT to the file of that authority.`,
      [name],
    )
}

/** Without white space around values, such as the carriage return of a file with Windows line endings, and without empty ones. */
const withoutSurplus = (environment: Env): Env =>
  Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, value?.trim()] as const)
      .filter(([, value]) => value !== ''),
  )

/** `docker --env-file` keeps quotation marks that a shell and systemd remove: a key in them would be refused elsewhere. */
const checkQuotes = (env: Env): void => {
  for (const [name, value] of Object.entries(env)) {
    const isSetting = Object.hasOwn(settings, name) || /^(ARDEN_LLM|TEMPORAL)_/.test(name)
    if (isSetting && isQuoted(value ?? ''))
      throw new SettingError(
        `${name} is in quotation marks, which are part of its value. Remove them.`,
        [name],
      )
  }
}

const isQuoted = (value: string): boolean =>
  value.length > 1 && /^["']/.test(value) && value.endsWith(value.charAt(0))

/** The variables that Temporal's own configuration reader uses, and those that locate its file. */
const temporalEnvironment = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && /^(TEMPORAL_.+|HOME|XDG_CONFIG_HOME|APPDATA)$/.test(name)
        ? [[name, value]]
        : [],
    ),
  )

/** The value of a setting that the current command requires. */
export const requireSetting = <T>(value: T | undefined, name: keyof typeof settings): T => {
  if (value === undefined)
    throw new StartError(`${name} is not set, and it is required. Expected: ${settings[name]}`)
  return value
}
