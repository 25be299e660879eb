import { type Config, readConfig, SettingError, settings } from '../config'
import { isFree } from '../local/ports'
import { type Check, type Finding, fail, type Looks, ok, warn } from './check'

/**
 * The settings in `env`, as far as they are right, and a check for each that is not: the rest of the system
 * is looked at with what is left.
 */
export const readSettings = (env: NodeJS.ProcessEnv): { config: Config; checks: Check[] } => {
  const rest = { ...env }
  const checks: Check[] = unknownSettings(env)
  for (;;) {
    try {
      const config = readConfig(rest)
      checks.push(...generous(config))
      return { config, checks: checks.length > 0 ? checks : [ALL_RIGHT] }
    } catch (error) {
      if (!(error instanceof SettingError) || !error.names.some(name => name in rest)) throw error
      checks.push({ name: 'settings', ...fail(error.message, 'Put it right, or leave it out.') })
      for (const name of error.names) delete rest[name]
    }
  }
}

const ALL_RIGHT: Check = { name: 'settings', ...ok('All that are set are right.') }

/** A misspelt setting would be passed over in silence. */
const unknownSettings = (env: NodeJS.ProcessEnv): Check[] =>
  Object.keys(env)
    .filter(name => name.startsWith('ARDEN_') && !(name in settings))
    .map(name => ({
      name: 'settings',
      ...warn(`${name} is no setting of Arden.`, 'Look for a misspelling; it has no effect.'),
    }))

const generous = ({ allowPrivateWebhooks }: Config): Check[] =>
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

/** Whether `serve` can listen here, or does. */
export const portLooks = ({ port }: Config): Looks => ({ port: () => lookAtPort(port) })

const lookAtPort = async (port: number): Promise<Finding> => {
  if (port === 0) return ok('PORT is 0: a free one is taken.')
  if (await isFree(port)) return ok(`Port ${port} is free.`)
  const isArden = await fetch(`http://127.0.0.1:${port}/healthz`, {
    signal: AbortSignal.timeout(2_000),
  })
    .then(answer => answer.json())
    .then(
      (body: unknown) => Bun.deepEquals(body, { status: 'ok' }),
      () => false,
    )
  return isArden
    ? ok(`An Arden serves on port ${port}.`)
    : fail(
        `Another program uses port ${port}: serve cannot start here.`,
        'Stop that program, or set PORT to another one.',
      )
}
