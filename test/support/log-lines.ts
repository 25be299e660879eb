import pino from 'pino'
import type { Log } from '../../src/log'

/** A log, and the messages that were logged to it. */
export const createLogLines = (): { log: Log; lines: string[] } => {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(JSON.parse(line).msg) })
  return { log, lines }
}
