import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { StartError } from '../errors'
import type { Log } from '../log'
import { connectionProblem } from './connection-problem'
import { createEagerStarts, type EagerStarts } from './eager-starts'
import { installTemporalRuntime } from './runtime'
import { type TemporalConfig, temporalSettings } from './settings'

/** Worker and client share one connection, which eager start of workflows requires. */
export type Temporal = {
  connection: NativeConnection
  client: Client
  namespace: string
  eagerStarts: EagerStarts
}

/** Time-out of one call, retries of the SDK included, in ms. Half of a claim's lease, so that a slow start keeps it. */
export const CALL_TIMEOUT_MS = 5_000

/** How often a worker asks Temporal whether it responds, and how long it waits for the answer, in ms. */
const PING_INTERVAL_MS = 5_000
const PING_TIMEOUT_MS = 2_000

/** Whether Temporal and its store respond: the store answers this. The SDK tries again for longer than its deadline says. */
export const isTemporalThere = ({ connection, namespace }: Temporal): Promise<boolean> =>
  Promise.race([
    connection.workflowService.describeNamespace({ namespace }).then(
      () => true,
      () => false,
    ),
    sleep(PING_TIMEOUT_MS, false, { ref: false }),
  ])

/** Reports after each ping whether Temporal and its store respond, until `signal`. */
export const watchTemporal = async (
  temporal: Temporal,
  report: (isThere: boolean) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const isThere = await isTemporalThere(temporal)
    if (!signal.aborted) report(isThere)
    await sleep(PING_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Connects to Temporal, by its standard variables and its configuration file.
 * @throws {StartError} for wrong settings; another error while Temporal is unavailable.
 */
export const connectTemporal = async (config: TemporalConfig, log: Log): Promise<Temporal> => {
  installTemporalRuntime(log)
  const { namespace = 'default', connectionOptions } = temporalSettings(config)
  const connection = await NativeConnection.connect(connectionOptions).catch(error => {
    const problem = connectionProblem(error, connectionOptions.tls)
    if (problem === undefined) throw error
    const cause = new Error(problem.message)
    if (!problem.isPermanent) throw cause
    throw new StartError(
      `Temporal at ${connectionOptions.address} cannot be used: ${problem.message}.`,
      {
        cause,
      },
    )
  })
  const client = new Client({ connection, namespace, identity: config.identity })
  return { connection, client, namespace, eagerStarts: createEagerStarts() }
}
