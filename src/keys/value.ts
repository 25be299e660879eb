/**
 * API key values (contract 3.4): `ar_live_` or `ar_test_`, 32 random base62 characters, and 6 base62
 * characters of the CRC32 of everything before them.
 *
 * Threat model
 * - Guessing: 32 characters of a CSPRNG, each drawn without bias, are 190 bits.
 * - Stolen database: only the SHA-256 of a value is stored. A secret of 190 random bits needs neither a salt nor a
 *   slow hash. A fast hash permits a lookup for every request, so that a revocation takes effect at once.
 * - Timing: values are looked up by their hash in an index. A timing difference reveals bits of the hash, from
 *   which the value cannot be computed.
 * - Leaks into code and logs: secret scanners recognize a key by its prefix and checksum. No error contains a value.
 * - Typing mistakes and floods of invented keys: the checksum refuses them without a query. Against an attacker
 *   who computes the checksum, the random part protects.
 */
import { getRandomValues, hash } from 'node:crypto'
import type { Mode } from '../caller'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
/** Bytes from 248 = 4 x 62 on are drawn again, so that each character is equally likely. */
const BYTE_LIMIT = 248
const PREFIX_LENGTH = 12
const FORMAT = new RegExp(`^ar_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new value for a key of this mode. Show it once; never store it. */
export const generateValue = (mode: Mode): string => {
  const body = `ar_${mode}_${randomBase62(RANDOM_LENGTH)}`
  return body + checksum(body)
}

/** The mode of a well-formed value; undefined when the format or the checksum is wrong. */
export const modeOfValue = (value: string): Mode | undefined => {
  const mode = FORMAT.exec(value)?.[1]
  if (mode === undefined) return undefined
  const body = value.slice(0, -CHECKSUM_LENGTH)
  if (value.slice(-CHECKSUM_LENGTH) !== checksum(body)) return undefined
  return mode === 'live' ? 'live' : 'test'
}

/** The SHA-256 of a value: stored instead of the value, and looked up for each request. */
export const hashValue = (value: string): Buffer => hash('sha256', value, 'buffer')

/** The first 12 characters: the only part of a value that is stored in readable form. */
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
