import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config'
import { toTerminalText } from './terminal'

export type Log = Logger

/**
 * Logs JSON lines to stderr, or readable ones for `dev`; stdout is for the output of commands. Never log a
 * key value, the URL of a receiver or a body (contract 3.4, 5.18).
 */
export const createLog = (config: Pick<Config, 'logLevel' | 'logFormat'>): Log => {
  const options = { level: config.logLevel, timestamp: pino.stdTimeFunctions.isoTime }
  if (config.logFormat === 'pretty') return pino(options, prettyTerminal())
  const stream = pino.destination({ dest: 2, sync: false })
  const log = pino(options, stream)
  destinations.set(log, stream)
  return log
}

/** Those that write later, so that a reader that is slow delays nothing. */
const destinations = new WeakMap<Log, ReturnType<typeof pino.destination>>()
/** In ms: a reader that has stopped reading holds no process for longer. */
const CLOSE_MAX_MS = 3_000

/** Writes what was logged, before the process exits. */
export const closeLog = async (log: Log): Promise<void> => {
  const stream = destinations.get(log)
  if (stream === undefined) return
  // A line after this would throw.
  log.level = 'silent'
  const closed = once(stream, 'close')
  stream.end()
  await Promise.race([closed, sleep(CLOSE_MAX_MS, undefined, { ref: false })])
}

/** Characters of a redacted text. */
const REDACTED_MAX = 300
/** Part of a key with at least this many characters is redacted as well. */
const KEY_PART_MIN = 6

/**
 * The response of a provider for logs and operators: on one line, cut off, and without the API key that it refuses.
 * Providers repeat the key in full, or masked, as in `sk-te**st`.
 */
export const redactKey = (text: string, key: string): string =>
  text
    .slice(0, 10 * REDACTED_MAX)
    .replaceAll(key, '[key]')
    .split(/\s+/)
    .map(word => word.replace(/[\w.*\u2026-]+/g, part => (isOfKey(part, key) ? '[key]' : part)))
    .join(' ')
    .slice(0, REDACTED_MAX)

const isOfKey = (part: string, key: string) =>
  /\*\*|\.{3}|\u2026/.test(part) || (part.length >= KEY_PART_MIN && key.includes(part))

/** stderr, without control characters of texts that other systems sent. They are removed before colours are added. */
const prettyTerminal = () => {
  const stream = pretty({
    destination: stderr(),
    sync: true,
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss.l',
  })
  return { write: (line: string) => stream.write(`${cleanLine(line)}\n`) }
}

const cleanLine = (line: string): string =>
  JSON.stringify(JSON.parse(line), (_, value) =>
    typeof value === 'string' ? toTerminalText(value) : value,
  )

const stderr = () =>
  new Writable({
    decodeStrings: false,
    write: (text: unknown, _, done) => {
      writeSync(2, String(text))
      done()
    },
  })
