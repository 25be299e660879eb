/**
 * API key values (contract 3.4): `ar_live_` or `ar_test_`, 32 random base62 characters, and 6 base62
 * characters of the CRC32 of all that precedes.
 *
 * Threat model
 * - Guessing: 32 characters of a CSPRNG, each drawn without bias, are 190 bits.
 * - A stolen database: only SHA-256 of a value is stored. A secret of 190 random bits needs neither a
 *   salt nor a slow hash, and a fast one lets every request be looked up anew, so that revocation holds.
 * - Timing: a value is looked up by its hash in an index. What that could leak is about the hash, from
 *   which no value follows.
 * - Leaks into code and logs: the fixed form and the checksum let a scanner tell a true key from a
 *   look-alike. Nothing here puts a value into an error.
 * - Typing mistakes, and floods of invented keys: the checksum refuses them without a query. It is no
 *   protection against someone who computes it; the random part is.
 */
import { getRandomValues, hash } from 'node:crypto'
import type { Mode } from '../caller'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
/** Bytes from here on are drawn again: 248 = 4 x 62, so each character is equally likely. */
const BYTE_LIMIT = 248
const PREFIX_LENGTH = 12
const FORM = new RegExp(`^ar_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new value for a key of this mode. To be shown once and then forgotten. */
export const generateValue = (mode: Mode): string => {
  const body = `ar_${mode}_${randomBase62(RANDOM_LENGTH)}`
  return body + checksum(body)
}

/** The mode of a well-formed value, or undefined when its form or its checksum is wrong. */
export const modeOfValue = (value: string): Mode | undefined => {
  const mode = FORM.exec(value)?.[1]
  if (mode === undefined) return undefined
  const body = value.slice(0, -CHECKSUM_LENGTH)
  if (value.slice(-CHECKSUM_LENGTH) !== checksum(body)) return undefined
  return mode === 'live' ? 'live' : 'test'
}

/** SHA-256 of a value: what is stored, and what a request is looked up by. */
export const hashValue = (value: string): Buffer => hash('sha256', value, 'buffer')

/** The first 12 characters: all of a value that stays readable. */
export const prefixOfValue = (value: string): string => value.slice(0, PREFIX_LENGTH)

const randomBase62 = (length: number): string => {
  let text = ''
  while (text.length < length)
    for (const byte of getRandomValues(new Uint8Array(length - text.length)))
      if (byte < BYTE_LIMIT) text += BASE62.charAt(byte % 62)
  return text
}

const checksum = (body: string): string => {
  let rest = Bun.hash.crc32(body)
  let text = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
