import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { StartError } from '../errors'
import type { Log } from '../log'
import { connectionProblem } from './connection-problem'
import { installTemporalRuntime } from './runtime'
import { type TemporalConfig, temporalSettings } from './settings'

/** One connection for the worker and the client: only so can a started workflow come back eagerly. */
export type Temporal = { connection: NativeConnection; client: Client; namespace: string }

/**
 * For one call, in ms: the SDK tries again by itself until then. Half of the lease of a claim, so that a
 * slow start is still ours.
 */
export const CALL_TIMEOUT_MS = 5_000

/**
 * Connects to Temporal. All of Temporal's standard variables and its configuration file count.
 * @throws {StartError} for settings that it cannot be reached by; another error when it is away.
 */
export const connectTemporal = async (config: TemporalConfig, log: Log): Promise<Temporal> => {
  installTemporalRuntime(log)
  const { namespace = 'default', connectionOptions } = temporalSettings(config)
  const connection = await NativeConnection.connect(connectionOptions).catch(error => {
    const problem = connectionProblem(error, connectionOptions.tls)
    if (problem === undefined) throw error
    const cause = new Error(problem.says)
    if (!problem.isFinal) throw cause
    throw new StartError(
      `Temporal at ${connectionOptions.address} cannot be used: ${problem.says}.`,
      {
        cause,
      },
    )
  })
  const client = new Client({ connection, namespace, identity: config.identity })
  return { connection, client, namespace }
}
