import { type Config, readConfig, settings } from '../config'
import { SettingError } from '../config/reader'
import { httpGet } from '../local/http-get'
import { isPortFree } from '../local/ports'
import { type CheckResult, type Checks, type Finding, fail, ok, warn } from './check'

/**
 * The settings in `env`, as far as they are right, and a check for each that is not: the rest of the system
 * is looked at with what is left.
 */
export const readSettings = (env: NodeJS.ProcessEnv): { config: Config; checks: CheckResult[] } => {
  const rest = { ...env }
  const checks: CheckResult[] = unknownSettings(env)
  for (;;) {
    try {
      const config = readConfig(rest)
      checks.push(...permissiveSettings(config))
      return { config, checks: checks.length > 0 ? checks : [SETTINGS_OK] }
    } catch (error) {
      if (!(error instanceof SettingError) || !error.names.some(name => name in rest)) throw error
      checks.push({ name: 'settings', ...fail(error.message, 'Put it right, or leave it out.') })
      for (const name of error.names) delete rest[name]
    }
  }
}

const SETTINGS_OK: CheckResult = { name: 'settings', ...ok('All that are set are right.') }

/** A misspelt setting would be passed over in silence. */
const unknownSettings = (env: NodeJS.ProcessEnv): CheckResult[] =>
  Object.keys(env)
    .filter(name => name.startsWith('ARDEN_') && !(name in settings))
    .map(name => ({
      name: 'settings',
      ...warn(`${name} is no setting of Arden.`, 'Look for a misspelling; it has no effect.'),
    }))

const permissiveSettings = ({ allowPrivateWebhooks }: Config): CheckResult[] =>
  allowPrivateWebhooks
    ? [
        {
          name: 'settings',
          ...warn(
            'ARDEN_ALLOW_PRIVATE_WEBHOOKS=1: webhooks may reach addresses of your own network.',
            'Leave it out where clients are strangers.',
          ),
        },
      ]
    : []

/** For what listens on our port to say what it is, in ms. */
const HEALTH_TIMEOUT_MS = 2_000

/** Whether `serve` can listen here, or does. */
export const portChecks = ({ port }: Config): Checks => ({ port: () => checkPort(port) })

const checkPort = async (port: number): Promise<Finding> => {
  if (port === 0) return ok('PORT is 0: a free one is taken.')
  if (await isPortFree(port)) return ok(`Port ${port} is free.`)
  const isArden = await httpGet(`http://127.0.0.1:${port}/healthz`, HEALTH_TIMEOUT_MS).then(
    ({ body }) => body === JSON.stringify({ status: 'ok' }),
    () => false,
  )
  return isArden
    ? ok(`An Arden serves on port ${port}.`)
    : fail(
        `Another program uses port ${port}: serve cannot start here.`,
        'Stop that program, or set PORT to another one.',
      )
}
