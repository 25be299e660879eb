import type { TSchema } from '@sinclair/typebox'
import { type Detail, invalidMembers } from '../../errors'
import { createMemberCheck, type MemberCheck } from './member-check'
import { queryProblems } from './query'
import { checkSizes } from './size-limits'
import { DETAILS_MAX } from './validation'

/** A route as Elysia lists it, with its schemas. */
export type Route = { method: string; path: string; hooks?: { body?: unknown; query?: unknown } }
type Context = { request: Request; route: string; body: unknown; query: Record<string, unknown> }
type Part = {
  schema: TSchema
  /** Compiled by the first request, because compiling all at the start would delay it. */
  check?: MemberCheck<unknown>
}

/**
 * Checks the query and the body of a request before Elysia does: first their sizes, of which the first that is too
 * large ends the check, and then everything else, which is reported at once (contract 1.6, 2.1). Elysia's own error has
 * the values in its message as text, which fails for a value such as `{"toString": null}`.
 * `listRoutes` is called at the first request, when all routes are registered.
 */
export const createRequestCheck = (listRoutes: () => readonly Route[]) => {
  let routes: Map<string, { query: Part | undefined; body: Part | undefined }> | undefined
  return ({ request, route, body, query }: Context): void => {
    routes ??= new Map(
      listRoutes().map(({ method, path, hooks }) => [
        `${method} ${path}`,
        {
          // Elysia refuses unknown members of a query as well.
          query: toPart(hooks?.query, { additionalProperties: false }),
          body: toPart(hooks?.body),
        },
      ]),
    )
    // GET routes support HEAD too.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const found = routes.get(`${method} ${route}`)
    const given = [
      { part: found?.query, value: query },
      { part: body === undefined ? undefined : found?.body, value: body },
    ]
    for (const { part, value } of given) if (part !== undefined) checkSizes(part.schema, value)
    const wrong = found?.query === undefined ? [] : queryProblems(request, query)
    for (const { part, value } of given)
      if (part !== undefined) {
        part.check ??= createMemberCheck(part.schema)
        part.check(value, wrong)
      }
    if (wrong.length > 0) throw invalidMembers(onePerMember(wrong).slice(0, DETAILS_MAX))
  }
}

const toPart = (schema: unknown, options: object = {}): Part | undefined =>
  typeof schema === 'object' && schema !== null
    ? { schema: { ...(schema as TSchema), ...options } }
    : undefined

/** The first of each member: a later one is about a value that the first refuses. */
const onePerMember = (details: readonly Detail[]): Detail[] => {
  const first = new Map<string, Detail>()
  for (const one of details) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}
