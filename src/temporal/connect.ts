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

/**
 * Connects to Temporal. All of Temporal's standard variables and its configuration file count (TLS, API
 * key, ...); address and namespace are those of `config`, because `dev` sets them.
 * @throws when Temporal cannot be reached.
 */
export const connectTemporal = async (
  config: Pick<Config, 'temporalAddress' | 'temporalNamespace' | 'identity'>,
  log: Log,
): Promise<Temporal> => {
  installTemporalLog(log)
  const { connectionOptions } = loadClientConnectConfig()
  const address = config.temporalAddress
  const connection = await NativeConnection.connect({
    ...connectionOptions,
    ...(address && { address }),
  })
  const namespace = config.temporalNamespace
  const client = new Client({ connection, namespace, identity: config.identity })
  return { connection, client, namespace }
}
