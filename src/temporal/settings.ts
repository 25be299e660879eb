import { existsSync } from 'node:fs'
import {
  type ClientConfigProfile,
  loadClientConfigProfile,
  toClientOptions,
} from '@temporalio/envconfig'
import type { Config } from '../config'
import { StartError } from '../errors'

/** How to reach Temporal. `embedded`: `dev` started it, so the environment's settings of another server are ignored. */
export type TemporalConfig = Pick<
  Config,
  'temporalAddress' | 'temporalNamespace' | 'temporalEnvironment' | 'identity'
> & { embedded?: boolean }

export type TemporalSettings = ReturnType<typeof toClientOptions>

/** The values that the SDK accepts; it reads any other value as false. */
const BOOLEAN = /^(1|true|0|false)$/

/**
 * Connection options from Temporal's standard variables and its configuration file (TLS, API key, ...). Every call
 * reads the files again.
 * @throws {StartError} for a setting that is wrong, or that the SDK would ignore.
 */
export const temporalSettings = (config: TemporalConfig): TemporalSettings => {
  const { temporalAddress: address, temporalNamespace: namespace } = config
  const settings = config.embedded ? toClientOptions({}) : settingsIn(config.temporalEnvironment)
  return {
    namespace: namespace ?? settings.namespace ?? 'default',
    connectionOptions: { ...settings.connectionOptions, ...(address && { address }) },
  }
}

const settingsIn = (env: Record<string, string>): TemporalSettings => {
  for (const name of ['TEMPORAL_TLS', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION']) {
    const value = env[name]
    if (value !== undefined && !BOOLEAN.test(value))
      throw new StartError(`${name} is "${value}". Set it to 1, true, 0 or false.`)
  }
  if (/^(1|true)$/.test(env.TEMPORAL_TLS_DISABLE_HOST_VERIFICATION ?? ''))
    throw new StartError(
      'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported: Arden always verifies the server. Unset it, and set TEMPORAL_TLS_SERVER_NAME to a name in the certificate and TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority.',
    )
  const file = env.TEMPORAL_CONFIG_FILE
  if (file !== undefined && !existsSync(file))
    throw new StartError(
      `TEMPORAL_CONFIG_FILE is ${file}, which does not exist. Set it to Temporal's configuration file, or unset it.`,
    )
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: env })
    checkProfile(profile)
    return toClientOptions(profile)
  } catch (error) {
    if (error instanceof StartError) throw error
    // The other lines of a message can show part of the file, which contains a key.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new StartError(
      `The settings of Temporal are invalid: ${reason}. Check the TEMPORAL_* variables and the configuration file of Temporal.`,
    )
  }
}

const checkProfile = ({ tls, apiKey }: ClientConfigProfile) => {
  const [certificate, key] = [tls?.clientCert, tls?.clientKey]
  if ((certificate === undefined) !== (key === undefined)) {
    const [present, missing] = certificate ? ['CERT', 'KEY'] : ['KEY', 'CERT']
    throw new StartError(
      `TEMPORAL_TLS_CLIENT_${present}_PATH (or _DATA) is set, but not TEMPORAL_TLS_CLIENT_${missing}_PATH. Set both, or neither.`,
    )
  }
  // The SDK would connect without such a key. The message must not show the value.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new StartError(
      'TEMPORAL_API_KEY contains a space, a line break or another character that is not part of a key. Set it to the key alone.',
    )
}
