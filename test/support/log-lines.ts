import pino from 'pino'
import type { Log } from '../../src/log'

/** A log, and what was logged to it: the messages, and all members. */
export const createLogLines = () => {
  const lines: string[] = []
  const entries: Record<string, unknown>[] = []
  const write = (line: string) => {
    const entry = JSON.parse(line)
    entries.push(entry)
    lines.push(entry.msg)
  }
  const log: Log = pino({ base: null, timestamp: false }, { write })
  return { log, lines, entries }
}
