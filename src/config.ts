import { hostname } from 'node:os'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { StartError } from './errors'
import { readTracing } from './tracing-settings'

/** Every setting: its variable, what it does, its unit, its default. Read once, at the start. */
export const settings = {
  PORT: 'TCP port of the API; 0 takes a free one. Default 3000.',
  ARDEN_METRICS_PORT:
    'TCP port of GET /metrics for Prometheus, on HOST; 0 takes a free one. Not set: no metrics.',
  HOST: 'Address the API listens on. Default 0.0.0.0, in `dev` 127.0.0.1.',
  DATABASE_URL: 'postgres:// URL. `dev` brings its own PostgreSQL when this is not set.',
  PGSSLMODE:
    "How connections to PostgreSQL are encrypted, where the URL's sslmode says nothing: disable, prefer, require, verify-ca or verify-full. Default prefer.",
  PGSSLROOTCERT:
    'File of the authorities that may issue its certificate, or system. Also sslrootcert in the URL.',
  PGSSLCERT: 'File of the certificate Arden shows it. Also sslcert in the URL.',
  PGSSLKEY: 'File of its key, without a password. Also sslkey in the URL.',
  PGSSLNEGOTIATION:
    'direct begins with TLS at once (PostgreSQL 17). Also sslnegotiation in the URL. Default postgres.',
  TEMPORAL_ADDRESS:
    'host:port of Temporal. Default: of its configuration file, or localhost:7233; `dev` brings its own.',
  TEMPORAL_NAMESPACE: 'Namespace of the workflows. Default "default".',
  LOG_LEVEL: 'trace, debug, info, warn, error or fatal. Default info, in `dev` warn.',
  ARDEN_LOG_FORMAT: 'json or pretty. Default json, in `dev` pretty.',
  ARDEN_DATA_DIR:
    'Where `dev` keeps its PostgreSQL, its Temporal file and its keys. Default .arden.',
  ARDEN_ENCRYPTION_KEY:
    '64 hexadecimal characters (32 bytes) that encrypt webhook secrets. Several, comma-separated, while the key is changed: the first encrypts, all decrypt.',
  ARDEN_PUBLIC_URL: 'The URL clients reach the API by, shown in the OpenAPI document.',
  ARDEN_TEMPORAL_UI_URL: 'URL of the Temporal UI, for links to workflows.',
  ARDEN_TRUSTED_PROXIES: 'Addresses or CIDR ranges, comma-separated, whose X-Forwarded-For counts.',
  ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1 permits http and private addresses. Default 0, in `dev` 1.',
  ARDEN_TASK_QUEUE: 'Temporal task queue of the workers. Default arden.',
  ARDEN_WORKFLOW_BUNDLE:
    'File with the bundled workflow code, made earlier. Default: what the binary carries; from source, bundled at the start.',
  ARDEN_SERP_URL:
    'URL that answers where a site stands in a search, for the daily rank tracking (docs/serp-source.md).',
  ARDEN_SERP_API_KEY: 'Sent to ARDEN_SERP_URL as a bearer token.',
  ARDEN_LLM_BASE_URL:
    'URL of an OpenAI-compatible API that writes the articles, such as https://api.openai.com/v1. Without it, the built-in offline writer does.',
  ARDEN_LLM_API_KEY: 'Its key; any text where it needs none.',
  ARDEN_LLM_MODEL: 'The model that writes.',
  ARDEN_LLM_MAX_TOKENS: 'Longest answer in tokens: the guard of costs, 100..100000. Default 4000.',
  ARDEN_LLM_IN_TEST_MODE:
    '1 lets the model write in test mode, too. Default 0: the offline writer does.',
  ARDEN_DISABLE_AFTER_DAYS:
    'Days after which a webhook whose every delivery failed is disabled, 0..365; 0 never. Default 5.',
  ARDEN_MAX_KEYS: 'Active API keys an account may have in each mode, 1..1000000. Default 1000.',
  ARDEN_MAX_WEBHOOKS: 'Webhooks an account may have in each mode, 1..1000000. Default 100.',
  ARDEN_RETENTION_DAYS:
    'Days that events, their deliveries and attempts are kept, 1..3650. Default 30.',
  ARDEN_WORKFLOWS:
    'every: each delivery is a workflow. on-retry, the lane for volume: only one whose first attempt failed. Default every.',
  ARDEN_IN_FLIGHT: 'Deliveries one worker sends at a time, 1..10000. Default 2000.',
} as const

type Env = { [name in keyof typeof settings]?: string | undefined } & Record<
  string,
  string | undefined
>

export type Config = ReturnType<typeof readConfig>

/**
 * The settings in `env`, checked.
 * @throws {SettingError} naming the first setting that is wrong, and what it takes.
 */
export const readConfig = (environment: Env) => {
  // `NAME=` in a shell or a compose file means "not set".
  const env: Env = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  )
  return {
    port: integer(env, 'PORT', 3000, 0, 65_535),
    metricsPort:
      env.ARDEN_METRICS_PORT === undefined
        ? undefined
        : integer(env, 'ARDEN_METRICS_PORT', 0, 0, 65_535),
    host: env.HOST ?? '0.0.0.0',
    databaseUrl: databaseUrl(env),
    temporalAddress: address(env, 'TEMPORAL_ADDRESS'),
    temporalNamespace: env.TEMPORAL_NAMESPACE,
    temporalEnvironment: temporalEnvironment(env),
    logLevel: oneOf(env, 'LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'fatal']),
    logFormat: oneOf(env, 'ARDEN_LOG_FORMAT', ['json', 'pretty']),
    dataDir: resolve(env.ARDEN_DATA_DIR ?? '.arden'),
    encryptionKeys: encryptionKeys(env),
    publicUrl:
      env.ARDEN_PUBLIC_URL === undefined
        ? undefined
        : url(env, 'ARDEN_PUBLIC_URL', ['http:', 'https:']),
    temporalUiUrl:
      env.ARDEN_TEMPORAL_UI_URL === undefined
        ? undefined
        : url(env, 'ARDEN_TEMPORAL_UI_URL', ['http:', 'https:']),
    trustedProxies: ranges(env, 'ARDEN_TRUSTED_PROXIES'),
    allowPrivateWebhooks: oneOf(env, 'ARDEN_ALLOW_PRIVATE_WEBHOOKS', ['0', '1']) === '1',
    taskQueue: env.ARDEN_TASK_QUEUE ?? 'arden',
    workflowBundle: env.ARDEN_WORKFLOW_BUNDLE,
    serpUrl:
      env.ARDEN_SERP_URL === undefined
        ? undefined
        : url(env, 'ARDEN_SERP_URL', ['http:', 'https:']),
    serpApiKey: env.ARDEN_SERP_API_KEY,
    llm: llm(env),
    disableAfterDays: integer(env, 'ARDEN_DISABLE_AFTER_DAYS', 5, 0, 365),
    maxKeys: integer(env, 'ARDEN_MAX_KEYS', 1000, 1, 1_000_000),
    maxWebhooks: integer(env, 'ARDEN_MAX_WEBHOOKS', 100, 1, 1_000_000),
    retentionDays: integer(env, 'ARDEN_RETENTION_DAYS', 30, 1, 3650),
    workflows: oneOf(env, 'ARDEN_WORKFLOWS', ['every', 'on-retry']),
    inFlight: integer(env, 'ARDEN_IN_FLIGHT', 2000, 1, 10_000),
    tracing: readTracing(env),
    /** Names this process in the workers' heartbeats and in Temporal. */
    identity: `${hostname()}:${process.pid}`,
  }
}

/** The parameters of a URL that libpq's variables stand for. */
export const PG_VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
} as const

/** With what the variables add to it, so that the URL alone says how to connect. */
const databaseUrl = (env: Env) => {
  if (env.DATABASE_URL === undefined) return undefined
  const parsed = new URL(url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']))
  for (const [parameter, variable] of Object.entries(PG_VARIABLES)) {
    const value = env[variable]
    if (value !== undefined && !parsed.searchParams.has(parameter))
      parsed.searchParams.set(parameter, value)
  }
  return parsed.href
}

/** What Temporal's own reader of settings looks at: the standard variables, and where its file may be. */
const temporalEnvironment = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && /^(TEMPORAL_.+|HOME|XDG_CONFIG_HOME|APPDATA)$/.test(name)
        ? [[name, value]]
        : [],
    ),
  )

/** Undefined where the offline writer writes everything. */
const llm = (env: Env) => {
  const inTestMode = oneOf(env, 'ARDEN_LLM_IN_TEST_MODE', ['0', '1']) === '1'
  const maxTokens = integer(env, 'ARDEN_LLM_MAX_TOKENS', 4000, 100, 100_000)
  const names = ['ARDEN_LLM_BASE_URL', 'ARDEN_LLM_API_KEY', 'ARDEN_LLM_MODEL'] as const
  const missing = names.filter(name => env[name] === undefined)
  const [first] = missing
  if (missing.length === names.length && !inTestMode) return undefined
  if (first !== undefined)
    throw wrong(first, 'is not set, but other settings of the language model are', [
      ...names,
      'ARDEN_LLM_IN_TEST_MODE',
    ])
  return {
    baseUrl: url(env, 'ARDEN_LLM_BASE_URL', ['http:', 'https:']),
    apiKey: env.ARDEN_LLM_API_KEY ?? '',
    model: env.ARDEN_LLM_MODEL ?? '',
    maxTokens,
    inTestMode,
  }
}

/** The value of a setting that the command at hand cannot do without. */
export const required = <T>(value: T | undefined, name: keyof typeof settings): T => {
  if (value === undefined) throw new StartError(`${name} is not set. ${settings[name]}`)
  return value
}

/** A setting that is wrong; `names` are those to leave out to go on without it. */
export class SettingError extends StartError {
  constructor(
    message: string,
    readonly names: readonly (keyof typeof settings)[],
  ) {
    super(message)
  }
}

const wrong = (
  name: keyof typeof settings,
  what: string,
  names: readonly (keyof typeof settings)[] = [name],
) => new SettingError(`${name} ${what}. ${settings[name]}`, names)

const integer = (
  env: Env,
  name: keyof typeof settings,
  fallback: number,
  min: number,
  max: number,
) => {
  const text = env[name]
  if (text === undefined) return fallback
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    throw wrong(name, `is "${text}", which is not a whole number from ${min} to ${max}`)
  return value
}

const oneOf = <T extends string>(
  env: Env,
  name: keyof typeof settings,
  allowed: readonly [T, ...T[]],
): T => {
  const text = env[name]
  if (text === undefined) return allowed[0]
  const found = allowed.find(value => value === text)
  if (found === undefined) throw wrong(name, `is "${text}", which is none of ${allowed.join(', ')}`)
  return found
}

const url = (env: Env, name: keyof typeof settings, protocols: string[]) => {
  const text = env[name] ?? ''
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
    throw wrong(name, `is not a ${protocols.join('// or ')}// URL`)
  return text
}

const address = (env: Env, name: keyof typeof settings): string | undefined => {
  const text = env[name]
  if (
    text !== undefined &&
    !/^[^\s:/]+:\d{1,5}$/.test(text) &&
    !/^\[[0-9a-f:]+\]:\d{1,5}$/i.test(text)
  )
    throw wrong(name, `is "${text}", which is no host:port`)
  return text
}

const ranges = (env: Env, name: keyof typeof settings): string[] => {
  const items = (env[name] ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)
  const bad = items.find(item => !ipaddr.isValid(item) && !ipaddr.isValidCIDR(item))
  if (bad !== undefined) throw wrong(name, `has "${bad}", which is no address and no CIDR range`)
  return items
}

const encryptionKeys = (env: Env): [Buffer, ...Buffer[]] | undefined => {
  const text = env.ARDEN_ENCRYPTION_KEY
  if (text === undefined) return undefined
  const keys = text.split(',').map(key => key.trim())
  // The value itself is a secret: the message must not show it.
  if (!keys.every(key => /^[0-9a-f]{64}$/i.test(key)))
    throw wrong(
      'ARDEN_ENCRYPTION_KEY',
      'is not 64 hexadecimal characters, or several such keys with commas between them',
    )
  const [first = '', ...others] = keys
  return [Buffer.from(first, 'hex'), ...others.map(key => Buffer.from(key, 'hex'))]
}
