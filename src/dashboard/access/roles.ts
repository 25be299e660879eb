import { Elysia } from 'elysia'
import { scopeOf } from '../../http/request/gate'
import { createRouteOf } from '../../http/request/paths'
import { ROLES, type Role } from '../../people/schema'
import { isUnder, OPEN, RECORDS } from '../paths'

/** Gives routes the option `role`: the least role that may call it. The gate checks it (createRequiredRole). */
export const withRole = new Elysia({ name: 'role' }).macro({ role: (_role: Role) => ({}) })

/** The least role that may call the route of a method and a path. */
export type RequiredRole = (method: string, path: string) => Role

type Route = { method: string; path: string; hooks: { role?: Role } }

/**
 * Reads the roles from the route table. Routes of the public API require what their scope says; routes that
 * need no session have no role.
 * @throws {Error} for a route that declares no role.
 */
export const createRequiredRole = (routes: readonly Route[]): RequiredRole => {
  const roles = new Map<string, Role>()
  for (const { method, path, hooks } of routes) {
    if (isUnder(OPEN, path)) continue
    const role = isUnder(RECORDS, path) ? roleOfScope(method) : hooks.role
    if (role === undefined) throw new Error(`${method} ${path} declares no role`)
    roles.set(`${method} ${path}`, role)
  }
  const routeOf = createRouteOf(routes)
  return (method, path) =>
    roles.get(`${method === 'HEAD' ? 'GET' : method} ${routeOf(path)}`) ?? 'owner'
}

const roleOfScope = (method: string): Role => (scopeOf(method) === 'write' ? 'member' : 'viewer')

/** Whether `role` may do what requires `required`. */
export const hasRole = (role: Role, required: Role): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(required)
