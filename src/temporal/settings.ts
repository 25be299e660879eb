import { existsSync } from 'node:fs'
import {
  type ClientConfigProfile,
  loadClientConfigProfile,
  toClientOptions,
} from '@temporalio/envconfig'
import type { Config } from '../config'
import { StartError } from '../errors'

/** Where Temporal is. `embedded`: `dev` started it, so what the environment says of another counts not. */
export type TemporalConfig = Pick<
  Config,
  'temporalAddress' | 'temporalNamespace' | 'temporalEnvironment' | 'identity'
> & { embedded?: boolean }

export type TemporalSettings = ReturnType<typeof toClientOptions>

/** All four words that Temporal's own reader knows; it takes every other one for "no". */
const BOOLEAN = /^(1|true|0|false)$/

/**
 * How to connect, by Temporal's standard variables and its configuration file (TLS, API key, ...). Files are
 * read anew by each call.
 * @throws {StartError} naming the setting that is wrong, or that its reader or the SDK would pass over in
 * silence.
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
      throw new StartError(`${name} is "${value}", which is none of 1, true, 0 and false.`)
  }
  if (/^(1|true)$/.test(env.TEMPORAL_TLS_DISABLE_HOST_VERIFICATION ?? ''))
    throw new StartError(
      'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported: Arden always checks whom it talks to. Unset it, and set TEMPORAL_TLS_SERVER_NAME to a name in the certificate and TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority.',
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
    // The rest of a message may show a part of the file, which holds a key.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new StartError(
      `Temporal's settings cannot be used: ${reason}. Check the variables TEMPORAL_*, and Temporal's configuration file where there is one.`,
    )
  }
}

const checkProfile = ({ tls, apiKey }: ClientConfigProfile) => {
  const [certificate, key] = [tls?.clientCert, tls?.clientKey]
  if ((certificate === undefined) !== (key === undefined)) {
    const [there, missing] = certificate ? ['CERT', 'KEY'] : ['KEY', 'CERT']
    throw new StartError(
      `TEMPORAL_TLS_CLIENT_${there}_PATH (or _DATA) is set, but not TEMPORAL_TLS_CLIENT_${missing}_PATH. Set both, or neither.`,
    )
  }
  // The SDK would connect without it. The value is a secret: the message must not show it.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new StartError(
      'TEMPORAL_API_KEY has a space, a line break or another character that no key has. Set it to the key alone.',
    )
}
