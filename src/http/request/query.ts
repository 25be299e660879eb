import type { Detail } from '../../errors'
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

/** What no schema sees: members that occur twice (contract 1.7), and text that PostgreSQL cannot store. */
export const queryProblems = (request: Request, query: Query): Detail[] => {
  if (!request.url.includes('?')) return []
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const member of new URL(request.url).searchParams.keys())
    (seen.has(member) ? repeated : seen).add(member)
  const notStorable = Object.entries(query).filter(
    ([, value]) => typeof value === 'string' && !isStorable(value),
  )
  return [
    ...[...repeated].map(path => ({ path, message: 'occurs more than once. Send one value.' })),
    ...notStorable.map(([path]) => ({ path, message: NOT_STORABLE_MESSAGE })),
  ]
}
