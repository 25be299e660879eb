import type { Detail } from '../../errors'
import { isDecodable } from './decodable'
import { isStorable, NOT_STORABLE_MESSAGE } from './json-limits'

type Query = Record<string, unknown>

/** The members of queries that are numbers. */
const NUMBERS = ['limit', 'position_min', 'position_max', 'status']

/** Converts the numbers in a query from text. */
export const readQuery = ({ query }: { query: Query }): void => {
  for (const name of NUMBERS) {
    const value = query[name]
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) query[name] = Number(value)
  }
}

/**
 * What no schema sees (contract 1.7): members that occur twice, bytes that are no text, and text that PostgreSQL cannot
 * store.
 */
export const queryProblems = (request: Request, query: Query): Detail[] => {
  if (!request.url.includes('?')) return []
  const seen = new Set<string>()
  const repeated = new Set<string>()
  const { search, searchParams } = new URL(request.url)
  const undecodable = search
    .slice(1)
    .split('&')
    .filter(member => !isDecodable(member))
  for (const member of searchParams.keys()) (seen.has(member) ? repeated : seen).add(member)
  const notStorable = Object.entries(query).filter(
    ([, value]) => typeof value === 'string' && !isStorable(value),
  )
  return [
    ...[...repeated].map(path => ({ path, message: 'occurs more than once. Send one value.' })),
    ...undecodable.map(member => ({
      path: member.split('=')[0] ?? '',
      message: 'is not UTF-8 in percent-encoding, such as %C3%A9 for é. Encode it again.',
    })),
    ...notStorable.map(([path]) => ({ path, message: NOT_STORABLE_MESSAGE })),
  ]
}
