import { TypeID } from 'typeid-js'

/** Prefixes of ids, one for each type of record (contract 1.4). */
export type IdPrefix =
  | 'key'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'prj'
  | 'kw'
  | 'rnk'
  | 'rrn'
  | 'art'
  | 'gen'
  | 'acc'
  | 'usr'
  | 'ses'
  | 'lnk'
  | 'psk'
  | 'req'

/**
 * A new TypeID, sorted by creation time. From Bun's UUIDs, which are monotonic within a millisecond; the
 * library's own are not.
 */
export const newId = (prefix: IdPrefix): string =>
  TypeID.fromUUID(prefix, Bun.randomUUIDv7()).toString()

/** The lowest id of records created at or after `at`, to query the primary key by time. */
export const lowestIdAt = (prefix: IdPrefix, at: Date): string => {
  const ms = at.getTime().toString(16).padStart(12, '0')
  return TypeID.fromUUID(
    prefix,
    `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`,
  ).toString()
}

/**
 * Whether `value` has the format of an id with this prefix. Other values are "not found" without a query: the
 * driver would fail on `/articles/%00`.
 */
export const isId = (prefix: IdPrefix, value: string): boolean => {
  try {
    TypeID.fromString(value, prefix)
    return true
  } catch {
    return false
  }
}

/**
 * When the record was created, by the clock of the process that created it; undefined for an invalid id.
 */
export const idTimestamp = (id: string): Date | undefined => {
  try {
    const bytes = TypeID.fromString(id).toUUIDBytes()
    // The first 48 bits of a UUID v7 are milliseconds since 1970.
    return new Date(Buffer.from(bytes).readUIntBE(0, 6))
  } catch {
    return undefined
  }
}
