import { DASHBOARD_API, isUnder, OPEN, RECORDS } from '../../../../src/dashboard/paths'
import type { Sql } from '../../../../src/db/connect'
import { listRoutes } from '../routes'
import { exampleOf } from './json'
import type { Operation, Schema } from './operations'

/** The dashboard's own routes: those that need no session, and the others. Its records are those of the API. */
export const dashboardOperations = (sql: Sql): { open: Operation[]; signedIn: Operation[] } => {
  const routes = listRoutes(sql).filter(
    ({ path }) => isUnder(DASHBOARD_API, path) && !isUnder(RECORDS, path),
  )
  return {
    open: routes.filter(({ path }) => isUnder(OPEN, path)).map(toOperation),
    signedIn: routes.filter(({ path }) => !isUnder(OPEN, path)).map(toOperation),
  }
}

type Route = { method: string; path: string; hooks: { body?: unknown; query?: unknown } }

const toOperation = ({ method, path, hooks }: Route): Operation => {
  const members = membersOf(hooks.body)
  return {
    name: `${method.toLowerCase()} ${path}`,
    method,
    path: (replaced = {}) => path.replaceAll(/:(\w+)/g, (_, name: string) => replaced[name] ?? 'x'),
    pathParameters: [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
    query: membersOf(hooks.query),
    headers: [],
    body:
      Object.keys(members).length === 0
        ? undefined
        : {
            members,
            example: Object.fromEntries(
              Object.entries(members).map(([name, schema]) => [
                name,
                exampleOf(schema) ?? 'a'.repeat(20),
              ]),
            ),
          },
  }
}

/** A route has TypeBox schemas, or none. */
const membersOf = (schema: unknown): { [member: string]: Schema } =>
  (schema as Schema | undefined)?.properties ?? {}
