import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { StartError } from './errors'

/** Every setting: its variable, what it does, its unit, its default. Read once, at the start. */
export const settings = {
  PORT: 'TCP port of the API; 0 takes a free one. Default 3000.',
  HOST: 'Address the API listens on. Default 0.0.0.0, in `dev` 127.0.0.1.',
  DATABASE_URL: 'postgres:// URL. `dev` brings its own PostgreSQL when this is not set.',
  TEMPORAL_ADDRESS: 'host:port of Temporal. `dev` brings its own when this is not set.',
  TEMPORAL_NAMESPACE: 'Namespace of the workflows. Default "default".',
  LOG_LEVEL: 'trace, debug, info, warn, error or fatal. Default info, in `dev` warn.',
  ARDEN_LOG_FORMAT: 'json or pretty. Default json, in `dev` pretty.',
  ARDEN_DATA_DIR:
    'Where `dev` keeps its PostgreSQL, its Temporal file and its keys. Default .arden.',
  ARDEN_ENCRYPTION_KEY: '64 hexadecimal characters (32 bytes) that encrypt webhook secrets.',
  ARDEN_PUBLIC_URL: 'The URL clients reach the API by, shown in the OpenAPI document.',
  ARDEN_TEMPORAL_UI_URL: 'URL of the Temporal UI, for links to workflows.',
  ARDEN_TRUSTED_PROXIES: 'Addresses or CIDR ranges, comma-separated, whose X-Forwarded-For counts.',
  ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1 permits http and private addresses. Default 0, in `dev` 1.',
  ARDEN_TASK_QUEUE: 'Temporal task queue of the workers. Default arden.',
  ARDEN_WORKFLOW_BUNDLE:
    'File with the bundled workflow code, made earlier. Default: bundle at the start.',
  ARDEN_IN_FLIGHT: 'Deliveries one worker sends at a time, 1..10000. Default 2000.',
} as const

type Env = { [name in keyof typeof settings]?: string | undefined } & Record<
  string,
  string | undefined
>

export type Config = ReturnType<typeof readConfig>

/**
 * The settings in `env`, checked.
 * @throws {StartError} naming the first setting that is wrong, and what it takes.
 */
export const readConfig = (env: Env) => ({
  port: integer(env, 'PORT', 3000, 0, 65_535),
  host: env.HOST ?? '0.0.0.0',
  databaseUrl:
    env.DATABASE_URL === undefined
      ? undefined
      : url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
  temporalAddress: env.TEMPORAL_ADDRESS,
  temporalNamespace: env.TEMPORAL_NAMESPACE ?? 'default',
  logLevel: oneOf(env, 'LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'fatal']),
  logFormat: oneOf(env, 'ARDEN_LOG_FORMAT', ['json', 'pretty']),
  dataDir: resolve(env.ARDEN_DATA_DIR ?? '.arden'),
  encryptionKey: encryptionKey(env),
  publicUrl:
    env.ARDEN_PUBLIC_URL === undefined
      ? undefined
      : url(env, 'ARDEN_PUBLIC_URL', ['http:', 'https:']),
  temporalUiUrl:
    env.ARDEN_TEMPORAL_UI_URL === undefined
      ? undefined
      : url(env, 'ARDEN_TEMPORAL_UI_URL', ['http:', 'https:']),
  trustedProxies: list(env.ARDEN_TRUSTED_PROXIES),
  allowPrivateWebhooks: oneOf(env, 'ARDEN_ALLOW_PRIVATE_WEBHOOKS', ['0', '1']) === '1',
  taskQueue: env.ARDEN_TASK_QUEUE ?? 'arden',
  workflowBundle: env.ARDEN_WORKFLOW_BUNDLE,
  inFlight: integer(env, 'ARDEN_IN_FLIGHT', 2000, 1, 10_000),
  /** Names this process in the workers' heartbeats and in Temporal. */
  identity: `${hostname()}:${process.pid}`,
})

/** The value of a setting that the command at hand cannot do without. */
export const required = <T>(value: T | undefined, name: keyof typeof settings): T => {
  if (value === undefined) throw new StartError(`${name} is not set. ${settings[name]}`)
  return value
}

const wrong = (name: keyof typeof settings, what: string) =>
  new StartError(`${name} ${what}. ${settings[name]}`)

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

const list = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)

const encryptionKey = (env: Env): Buffer | undefined => {
  const text = env.ARDEN_ENCRYPTION_KEY
  if (text === undefined) return undefined
  // The value itself is a secret: the message must not show it.
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw wrong('ARDEN_ENCRYPTION_KEY', 'is not 64 hexadecimal characters')
  return Buffer.from(text, 'hex')
}
