import { Elysia } from 'elysia'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'

/** Checks in the transaction of a change that the caller may still make it. @throws {DomainError} as the gate does. */
export type Confirm = (tx: Tx) => Promise<void>

/**
 * Authentication runs before routing, because Elysia parses and validates bodies before later hooks. The
 * caller is kept here until its route reads it.
 */
const callers = new WeakMap<Request, Caller>()
const confirms = new WeakMap<Request, Confirm>()

export const setCaller = (request: Request, caller: Caller, confirm: Confirm): void => {
  callers.set(request, caller)
  confirms.set(request, confirm)
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

/**
 * Checks the caller again, because a key can be revoked and a role be taken away while a change waits for its turn.
 * @throws {DomainError} UNAUTHORIZED, FORBIDDEN
 */
export const confirmCaller = async (request: Request, tx: Tx): Promise<void> => {
  const confirm = confirms.get(request)
  if (confirm === undefined) throw new Error('The change has no authenticated caller')
  await confirm(tx)
}
