import { createQuerySerializer } from 'openapi-fetch'

const serialize = createQuerySerializer()

/** A query with a `Date` as the API takes it: as an object without members it would be left out, and nothing filtered. */
export const serializeQuery = (query: Readonly<Record<string, unknown>>): string =>
  serialize(
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString() : value,
      ]),
    ),
  )
