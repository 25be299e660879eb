import { Memoirist } from 'memoirist'

/** The methods that a path supports; empty for an unknown path. */
export type AllowedMethods = (path: string) => string[]

/**
 * Built from the route table, so that 404 and 405 come before the scope and the body (contract 2.3). A GET
 * route supports HEAD too (contract 1.10).
 */
export const createAllowedMethods = (
  routes: Iterable<{ method: string; path: string }>,
): AllowedMethods => {
  const methodsOf = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const methods = methodsOf.get(path) ?? new Set()
    methodsOf.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  const router = new Memoirist<string[]>()
  for (const [path, methods] of methodsOf) router.add('*', path, [...methods].sort())
  return path => router.find('*', withoutTrailingSlash(path))?.store ?? []
}

/** The route template of a path, such as `/articles/:id`; `none` for an unknown path. */
export type RouteOf = (path: string) => string

export const createRouteOf = (routes: Iterable<{ path: string }>): RouteOf => {
  const router = new Memoirist<string>()
  for (const path of new Set(Array.from(routes, route => route.path))) router.add('*', path, path)
  return path => {
    try {
      return router.find('*', withoutTrailingSlash(path))?.store ?? 'none'
    } catch {
      return 'none' // A parameter that does not decode, such as `/articles/%ZZ`.
    }
  }
}

const withoutTrailingSlash = (path: string) =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
