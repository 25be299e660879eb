import { Elysia } from 'elysia'
import type { Caller } from '../../caller'

/**
 * Authentication happens before routing (Elysia would otherwise parse and validate the body of a caller
 * it does not know), so the caller waits here for the route that asks for it.
 */
const callers = new WeakMap<Request, Caller>()

export const setCaller = (request: Request, caller: Caller): void => {
  callers.set(request, caller)
}

/** Undefined for a request without a valid key. */
export const getCaller = (request: Request): Caller | undefined => callers.get(request)

/** Gives a group of routes `caller`: who calls, with what mode and scopes. Every API route uses it. */
export const withCaller = new Elysia({ name: 'caller' }).derive({ as: 'scoped' }, ({ request }) => {
  const caller = getCaller(request)
  if (caller === undefined) throw new Error('a route that needs a caller was reached without one')
  return { caller }
})
