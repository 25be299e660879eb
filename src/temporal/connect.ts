import { Client } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { NativeConnection } from '@temporalio/worker'
import type { Config } from '../config'
import type { Log } from '../log'
import { installTemporalLog } from './log'

/** One connection for the worker and the client: only so can a started workflow come back eagerly. */
export type Temporal = { connection: NativeConnection; client: Client; namespace: string }

/**
 * For one call, in ms: the SDK tries again by itself until then. Half of the lease of a claim, so that a
 * slow start is still ours.
 */
export const CALL_TIMEOUT_MS = 5_000

/** Where Temporal is. `embedded`: `dev` started it, so what the environment says of another counts not. */
export type TemporalConfig = Pick<Config, 'temporalAddress' | 'temporalNamespace' | 'identity'> & {
  embedded?: boolean
}

/**
 * Connects to Temporal. All of Temporal's standard variables and its configuration file count (TLS, API
 * key, ...).
 * @throws when Temporal cannot be reached.
 */
export const connectTemporal = async (config: TemporalConfig, log: Log): Promise<Temporal> => {
  installTemporalLog(log)
  const profile = config.embedded ? undefined : loadClientConnectConfig()
  const address = config.temporalAddress
  const connection = await NativeConnection.connect({
    ...profile?.connectionOptions,
    ...(address && { address }),
  })
  const namespace = config.temporalNamespace ?? profile?.namespace ?? 'default'
  const client = new Client({ connection, namespace, identity: config.identity })
  return { connection, client, namespace }
}
