import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Config, readValid, settings } from '../config'
import { providerSettingsOf } from '../config/llm'
import { httpGet } from '../local/http-get'
import { canListenOn, isPortFree } from '../local/ports'
import { NOT_METRICS } from '../metrics/endpoint'
import {
  type CheckResult,
  type Checks,
  describeCause,
  type Finding,
  fail,
  ok,
  skipped,
  warn,
} from './check'

/**
 * Reads the valid settings in `env`, and adds a check for each invalid one. The other checks use the valid
 * ones; `invalid` has the names of the others and of what needs them.
 */
export const readSettings = (
  env: NodeJS.ProcessEnv,
): { config: Config; checks: CheckResult[]; invalid: ReadonlySet<string> } => {
  const { config, errors, invalid } = readValid(env)
  const valid = Object.fromEntries(Object.entries(env).filter(([name]) => !invalid.has(name)))
  const checks = [
    ...errors.map(({ message }) => ({
      name: 'settings',
      ...fail(message, 'Set, correct or remove what it names.'),
    })),
    ...unknownSettings(valid, env.ARDEN_LLM_PROVIDERS),
    ...unreadAuthorities(env),
    ...permissiveSettings(config),
  ]
  return { config, checks: checks.length > 0 ? checks : [SETTINGS_OK], invalid }
}

const SETTINGS_OK: CheckResult = { name: 'settings', ...ok('All settings are valid.') }

/** Settings of the commands that call the API, which may be set in the same environment. */
const COMMAND_SETTINGS = ['ARDEN_API_KEY', 'ARDEN_PROFILE', 'ARDEN_URL']

/** A misspelled setting would be ignored silently. Not those that a start refuses. */
export const unknownSettings = (
  env: NodeJS.ProcessEnv,
  llmProviders = env.ARDEN_LLM_PROVIDERS,
): CheckResult[] => {
  const known = [...Object.keys(settings), ...COMMAND_SETTINGS, ...providerSettingsOf(llmProviders)]
  return Object.keys(env)
    .filter(name => name.startsWith('ARDEN_') && !known.includes(name))
    .map(name => ({
      name: 'settings',
      ...warn(`${name} is not a setting of Arden and has no effect.`, 'Check the spelling.'),
    }))
}

/** Bun ignores such a file, also for one of several certificates, and certificates of the authority are then refused. */
export const unreadAuthorities = ({
  NODE_EXTRA_CA_CERTS: path,
}: NodeJS.ProcessEnv): CheckResult[] => {
  if (path === undefined || path === '') return []
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return [unreadAuthority(`NODE_EXTRA_CA_CERTS has no effect: ${describeCause(error)}.`)]
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length === 0)
    return [
      unreadAuthority(`NODE_EXTRA_CA_CERTS has no effect: ${path} has no certificate in PEM.`),
    ]
  const broken = certificates.findIndex(certificate => !isReadable(certificate))
  if (broken < 0) return []
  const which = certificates.length === 1 ? 'the certificate' : `certificate ${broken + 1}`
  return [unreadAuthority(`NODE_EXTRA_CA_CERTS has no effect: ${which} in ${path} cannot be read.`)]
}

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(?:-----END [A-Z0-9 ]*-----)?/g

const isReadable = (pem: string): boolean => {
  try {
    return !pem.includes('TRUSTED') && new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const unreadAuthority = (found: string): CheckResult => ({
  name: 'settings',
  ...warn(found, 'Set it to the file of the authority, which this process may read, or remove it.'),
})

const permissiveSettings = ({ allowPrivateWebhooks }: Config): CheckResult[] =>
  allowPrivateWebhooks
    ? [
        {
          name: 'settings',
          ...warn(
            'ARDEN_ALLOW_PRIVATE_WEBHOOKS=1: webhooks can reach private addresses of your network.',
            'Remove it unless you trust all clients.',
          ),
        },
      ]
    : []

/** Time for the process on our port to respond, in ms. */
const HEALTH_TIMEOUT_MS = 2_000

/** Whether the process can listen on its ports, or already does. */
export const portChecks = ({ host, port, metricsPort }: Config): Checks => ({
  port: () => checkPort(host, port, 'PORT'),
  ...(metricsPort && { 'metrics port': () => checkPort(host, metricsPort, 'ARDEN_METRICS_PORT') }),
})

/** What an Arden that is running responds with on each port. */
const RESPONSES = {
  PORT: { path: '/healthz', response: JSON.stringify({ status: 'ok' }) },
  ARDEN_METRICS_PORT: { path: '/', response: NOT_METRICS },
}

const checkPort = async (
  host: string,
  port: number,
  setting: keyof typeof RESPONSES,
): Promise<Finding> => {
  if (!(await canListenOn(host)))
    return setting === 'PORT'
      ? fail(
          `HOST is ${host}, which is not an address of this machine.`,
          'Set it to one, such as 127.0.0.1, or to 0.0.0.0 for all of them.',
        )
      : skipped('port')
  if (port === 0) return ok(`${setting} is 0: serve picks a free port.`)
  if (await isPortFree(port)) return ok(`Port ${port} is free.`)
  const { path, response } = RESPONSES[setting]
  const isArden = await httpGet(`http://127.0.0.1:${port}${path}`, HEALTH_TIMEOUT_MS).then(
    ({ body }) => body === response,
    () => false,
  )
  return isArden
    ? ok(`An Arden is running on port ${port}.`)
    : fail(
        `Another program uses port ${port}: Arden cannot start here.`,
        `Stop that program, or set ${setting} to another port.`,
      )
}
