import {
  type LogLevel,
  type LogMetadata,
  makeTelemetryFilterString,
  Runtime,
} from '@temporalio/worker'
import type { Log } from '../log'

let installed = false

/**
 * Sends what the Temporal SDK logs to ours, and leaves the signals of the process to whoever owns it.
 * There is one Temporal runtime in a process: what the first caller asks for stays. `metricsAddress`, a
 * host:port, is where the SDK then tells its own metrics.
 */
export const installTemporalRuntime = (log: Log, metricsAddress?: string): void => {
  if (installed) return
  Runtime.install({
    logger: toTemporalLogger(log),
    telemetryOptions: {
      // Core warns of every poll that fails while Temporal is away; we say so once.
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
      ...(metricsAddress !== undefined && {
        metrics: {
          // All of it is about one service, whose name Prometheus has from its own settings.
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

/** Of the SDK's own lines only what needs a person: its "Worker state changed" is not news. */
const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'trace',
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
} as const

/** A delivery that failed is its receiver's doing, and a record; the SDK warns of each. */
const NO_WARNING = 'Workflow failed'

const toTemporalLogger = (log: Log) => {
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) =>
    log[message === NO_WARNING ? 'debug' : LEVELS[level]](
      { ...idsIn(meta?.workflowId), temporal: describe(meta) },
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

/** Names of things, and the error; no arguments, results or headers. */
const describe = (meta: LogMetadata = {}) => ({
  sdkComponent: meta.sdkComponent,
  workflowId: meta.workflowId,
  activityType: meta.activityType,
  error: meta.error instanceof Error ? meta.error.message : undefined,
})

/** Of the record that a workflow is about, so that all lines about it are found by one name. */
const idsIn = (workflowId: unknown) => {
  const [, kind, id] = /^(delivery|generation):(\w+)/.exec(String(workflowId)) ?? []
  return kind && { [`${kind}_id`]: id }
}
