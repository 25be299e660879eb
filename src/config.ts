import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { readDatabaseUrl } from './config/database-url'
import { readEncryptionKeys } from './config/encryption-keys'
import { readLlm } from './config/llm'
import { createSettingReader, type Env } from './config/reader'
import { readTracing, tracingSettings } from './config/tracing'
import { StartError } from './errors'

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
  ...tracingSettings,
} as const

export type Config = ReturnType<typeof readConfig>

/**
 * The settings in `environment`, checked.
 * @throws {SettingError} naming the first setting that is wrong, and what it takes.
 */
export const readConfig = (environment: Env) => {
  const env: Env = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  )
  const reader = createSettingReader(env, settings)
  const { text, integer, oneOf, flag, url, address, ranges } = reader
  return {
    port: integer('PORT', 3000, 0, 65_535),
    metricsPort:
      text('ARDEN_METRICS_PORT') === undefined
        ? undefined
        : integer('ARDEN_METRICS_PORT', 0, 0, 65_535),
    host: text('HOST') ?? '0.0.0.0',
    databaseUrl: readDatabaseUrl(reader),
    temporalAddress: address('TEMPORAL_ADDRESS'),
    temporalNamespace: text('TEMPORAL_NAMESPACE'),
    temporalEnvironment: temporalEnvironment(env),
    logLevel: oneOf('LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'fatal']),
    logFormat: oneOf('ARDEN_LOG_FORMAT', ['json', 'pretty']),
    dataDir: resolve(text('ARDEN_DATA_DIR') ?? '.arden'),
    encryptionKeys: readEncryptionKeys(reader),
    publicUrl: url('ARDEN_PUBLIC_URL'),
    temporalUiUrl: url('ARDEN_TEMPORAL_UI_URL'),
    trustedProxies: ranges('ARDEN_TRUSTED_PROXIES'),
    allowPrivateWebhooks: flag('ARDEN_ALLOW_PRIVATE_WEBHOOKS'),
    taskQueue: text('ARDEN_TASK_QUEUE') ?? 'arden',
    workflowBundle: text('ARDEN_WORKFLOW_BUNDLE'),
    serpUrl: url('ARDEN_SERP_URL'),
    serpApiKey: text('ARDEN_SERP_API_KEY'),
    llm: readLlm(reader),
    disableAfterDays: integer('ARDEN_DISABLE_AFTER_DAYS', 5, 0, 365),
    maxKeys: integer('ARDEN_MAX_KEYS', 1000, 1, 1_000_000),
    maxWebhooks: integer('ARDEN_MAX_WEBHOOKS', 100, 1, 1_000_000),
    retentionDays: integer('ARDEN_RETENTION_DAYS', 30, 1, 3650),
    workflows: oneOf('ARDEN_WORKFLOWS', ['every', 'on-retry']),
    inFlight: integer('ARDEN_IN_FLIGHT', 2000, 1, 10_000),
    tracing: readTracing(env),
    /** Names this process in the workers' heartbeats and in Temporal. */
    identity: `${hostname()}:${process.pid}`,
  }
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

/** The value of a setting that the command at hand cannot do without. */
export const requireSetting = <T>(value: T | undefined, name: keyof typeof settings): T => {
  if (value === undefined)
    throw new StartError(`${name} is not set. Set it. It takes: ${settings[name]}`)
  return value
}
