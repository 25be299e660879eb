import type { Schema } from './example'

type Operation = { operationId?: string; parameters?: { name: string; in: string }[] }
type Paths = { [path: string]: { [method: string]: Operation } }
type Links = { [name: string]: { operationId: string; parameters: { [name: string]: string } } }

/** A path parameter and the prefix of its ids. */
type Target = {
  operationId: string
  isGetOfRecord: boolean
  ids: [parameter: string, pattern: string][]
}

/**
 * Returns the links of a response to the operations that its record leads to: to those whose last path parameter is
 * its `id`, and to the GET of each other record whose id it has.
 */
export const createLinks = (
  paths: Paths,
  patternOf: (path: string, parameter: string) => string | undefined,
) => {
  const targets: Target[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) => {
      const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): [string, string] => [
        name,
        patternOf(path, name) ?? '',
      ])
      if (operationId === undefined || ids.length === 0) return []
      return [{ operationId, isGetOfRecord: method === 'get' && path.endsWith('}'), ids }]
    }),
  )
  return (response: Schema): Links => {
    const members = Object.entries(response.properties?.data?.properties ?? {})
    const memberWith = (pattern: string) =>
      members.find(([, schema]) => schema.pattern === pattern)?.[0]
    return Object.fromEntries(
      targets.flatMap(({ operationId, isGetOfRecord, ids }) => {
        const found = ids.map(([parameter, pattern]) => [parameter, memberWith(pattern)] as const)
        const last = found.at(-1)?.[1]
        if (found.some(([, member]) => member === undefined)) return []
        if (last !== 'id' && !isGetOfRecord) return []
        const parameters = Object.fromEntries(
          found.map(([parameter, member]) => [parameter, `$response.body#/data/${member}`]),
        )
        return [[operationId, { operationId, parameters }]]
      }),
    )
  }
}
