import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { checkSizes } from './size-limits'
import { toValidationError } from './validation'

/** A route as Elysia lists it, with its schemas. */
export type Route = { method: string; path: string; hooks?: { body?: unknown; query?: unknown } }
type Context = { request: Request; route: string; body: unknown; query: unknown }
type Checks = {
  query: TSchema | undefined
  body: TSchema | undefined
  /** Compiled by the first request, because compiling all at the start would delay it. */
  compiledBody?: TypeCheck<TSchema>
}

/**
 * Checks a request before Elysia validates it: its sizes, and its body. Elysia's error for a body is a message that
 * contains its values as text, which fails for a value such as `{"toString": null}`.
 * `listRoutes` is called at the first request, when all routes are registered.
 */
export const createRequestCheck = (listRoutes: () => readonly Route[]) => {
  let checks: Map<string, Checks> | undefined
  return ({ request, route, body, query }: Context): void => {
    checks ??= new Map(
      listRoutes().map(({ method, path, hooks }) => [
        `${method} ${path}`,
        { body: asSchema(hooks?.body), query: asSchema(hooks?.query) },
      ]),
    )
    // GET routes support HEAD too.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const found = checks.get(`${method} ${route}`)
    if (found?.query !== undefined) checkSizes(found.query, query)
    if (found?.body === undefined || body === undefined) return
    checkSizes(found.body, body)
    found.compiledBody ??= TypeCompiler.Compile(found.body)
    if (!found.compiledBody.Check(body)) throw toValidationError(found.compiledBody.Errors(body))
  }
}

const asSchema = (schema: unknown): TSchema | undefined =>
  typeof schema === 'object' && schema !== null ? (schema as TSchema) : undefined
