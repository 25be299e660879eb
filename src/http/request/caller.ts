import { Elysia } from 'elysia'
import type { Caller } from '../../caller'

/**
 * Authentication runs before routing, because Elysia parses and validates bodies before later hooks. The
 * caller is kept here until its route reads it.
 */
const callers = new WeakMap<Request, Caller>()

export const setCaller = (request: Request, caller: Caller): void => {
  callers.set(request, caller)
}

/** The caller of an authenticated request, otherwise undefined. */
export const getCaller = (request: Request): Caller | undefined => callers.get(request)

/** Gives a group of routes `caller`. Every API route uses it. */
export const withCaller = new Elysia({ name: 'caller' }).derive({ as: 'scoped' }, ({ request }) => {
  const caller = getCaller(request)
  if (caller === undefined)
    throw new Error('The route needs a caller, but the request is not authenticated')
  return { caller }
})
