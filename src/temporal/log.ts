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
 * There is one Temporal runtime in a process: the first caller's `log` stays.
 */
export const installTemporalLog = (log: Log): void => {
  if (installed) return
  installed = true
  Runtime.install({
    logger: toTemporalLogger(log),
    telemetryOptions: {
      // Core warns of every poll that fails while Temporal is away; we say so once.
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
    },
    shutdownSignals: [],
  })
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
    log[message === NO_WARNING ? 'debug' : LEVELS[level]]({ temporal: describe(meta) }, message)
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
