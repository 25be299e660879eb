import { TypeID } from 'typeid-js'

/** The kinds of record that have an id of their own, by prefix (contract 1.4). */
export type IdPrefix =
  | 'key'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'prj'
  | 'kw'
  | 'rnk'
  | 'art'
  | 'gen'
  | 'acc'
  | 'usr'
  | 'ses'

/**
 * A new TypeID: sorts by time, is unique without asking the database. Of Bun's UUIDs, because those
 * made in one millisecond by one process keep their order; the library's own are then in any order.
 */
export const newId = (prefix: IdPrefix): string =>
  TypeID.fromUUID(prefix, Bun.randomUUIDv7()).toString()

/** The id below which all of this kind were made before `at`: a range of the primary key, for a time. */
export const lowestIdAt = (prefix: IdPrefix, at: Date): string => {
  const ms = at.getTime().toString(16).padStart(12, '0')
  return TypeID.fromUUID(
    prefix,
    `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`,
  ).toString()
}

/**
 * Whether `value` could be an id of this kind. What could not is not looked up: a path such as
 * `/articles/%00` is "not found" and never reaches a driver that would choke on it.
 */
export const isId = (prefix: IdPrefix, value: string): boolean => {
  try {
    TypeID.fromString(value, prefix)
    return true
  } catch {
    return false
  }
}

/** When the record was made, by the clock of the process that made it; undefined for no id of ours. */
export const idTimestamp = (id: string): Date | undefined => {
  try {
    const bytes = TypeID.fromString(id).toUUIDBytes()
    // The first 48 bits of a UUID v7 are milliseconds since 1970.
    return new Date(Buffer.from(bytes).readUIntBE(0, 6))
  } catch {
    return undefined
  }
}
