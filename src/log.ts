import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config'

export type Log = Logger

/**
 * Logs JSON lines to stderr, or readable ones for `dev`; stdout is for the output of commands. Never log a
 * key value, the URL of a receiver or a body (contract 3.4, 5.18).
 */
export const createLog = (config: Pick<Config, 'logLevel' | 'logFormat'>): Log => {
  const stream =
    config.logFormat === 'pretty'
      ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' })
      : pino.destination({ dest: 2, sync: false })
  return pino({ level: config.logLevel, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}
