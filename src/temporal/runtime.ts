import {
  type LogLevel,
  type LogMetadata,
  makeTelemetryFilterString,
  Runtime,
} from '@temporalio/worker'
import type { Log } from '../log'

let installed = false

/**
 * Forwards the log of the Temporal SDK to the log of Arden and keeps the SDK from handling process signals. A process
 * has one Temporal runtime: only the first call has an effect. `metricsAddress`: host:port of the SDK's metrics.
 */
export const installTemporalRuntime = (log: Log, metricsAddress?: string): void => {
  if (installed) return
  Runtime.install({
    logger: toTemporalLogger(log),
    telemetryOptions: {
      // Core warns of every failed poll during an outage of Temporal; Arden logs one line for it.
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
      ...(metricsAddress !== undefined && {
        metrics: {
          // Prometheus has the name of the service from its own configuration.
          attachServiceName: false,
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      }),
    },
    shutdownSignals: [],
  })
  installed = true
}

/** Levels are lowered: INFO lines of the SDK, such as "Worker state changed", concern no operator. */
const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'trace',
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
} as const

/**
 * Logged at `debug`: the SDK warns of every failed workflow, and a failed delivery is caused by its receiver and is
 * recorded; of each poll that it tries again during an outage it logs 160 errors a minute, from the 16th try on.
 */
const NO_PROBLEM = /^(?:Workflow failed$|gRPC call \w+ retried \d+ times$)/

export const toTemporalLogger = (log: Log) => {
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) =>
    log[NO_PROBLEM.test(message) ? 'debug' : LEVELS[level]](
      { ...recordId(meta?.workflowId), temporal: describe(meta) },
      message,
    )
  return {
    log: (level: LogLevel, message: string, meta?: LogMetadata) => at(level)(message, meta),
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  }
}

/** Names, ids and the error; no arguments, results or headers. */
const describe = (meta: LogMetadata = {}) => ({
  sdkComponent: meta.sdkComponent,
  workflowId: meta.workflowId,
  activityType: meta.activityType,
  error: meta.error instanceof Error ? meta.error.message : undefined,
})

/** The id of the record of a workflow, under the same name as in other log lines. */
const recordId = (workflowId: unknown) => {
  const [, kind, id] = /^(delivery|generation):(\w+)/.exec(String(workflowId)) ?? []
  return kind && { [`${kind}_id`]: id }
}
