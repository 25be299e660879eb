import type { Client } from '../../client'
import { readDocument } from '../document'
import { oneOfEach } from '../one-of-each'
import { logEntryOf } from '../request-log'

export type Schema = Parameters<typeof import('./json').exampleOf>[0] & {
  properties?: { [member: string]: Schema }
}

/** An operation of the OpenAPI document, on the records of one account. */
export type Operation = {
  /** For messages: `post /api/public/v1/projects/{id}/keywords`. */
  name: string
  method: string
  path: (replaced?: { [parameter: string]: string }) => string
  pathParameters: string[]
  /** Members of the query. */
  query: { [member: string]: Schema }
  /** Headers that the document names for this operation. */
  headers: string[]
  body:
    | { members: { [member: string]: Schema }; example: { [member: string]: unknown } }
    | undefined
}

type Parameter = { $ref?: string; in: string; name: string; schema: Schema }
type Document = {
  components: { parameters: { [name: string]: Parameter } }
  paths: {
    [path: string]: {
      [method: string]: {
        parameters?: Parameter[]
        requestBody?: {
          content: { 'application/json': { schema: Schema; example: Record<string, unknown> } }
        }
      }
    }
  }
}

/** A change of a record follows all reads, and its deletion all changes. */
const ORDER = ['get', 'post', 'patch', 'put', 'delete']

/** All operations that the server documents. `client` makes the records that the paths name. */
export const documentedOperations = async (url: string, client: Client): Promise<Operation[]> => {
  const document: Document = await readDocument(url)
  const idOf = await recordIds(client)
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]): Operation => {
        const all = parameters.map(one =>
          one.$ref === undefined ? one : parameterOf(document, one.$ref),
        )
        const content = requestBody?.content['application/json']
        const named = all.filter(one => one.in === 'path')
        return {
          name: `${method} ${path}`,
          method: method.toUpperCase(),
          path: replaced =>
            named.reduce(
              (text, { name, schema }) =>
                text.replace(
                  `{${name}}`,
                  replaced?.[name] ?? onRecords(schema.examples?.[0], idOf),
                ),
              path,
            ),
          pathParameters: named.map(({ name }) => name),
          query: Object.fromEntries(
            all.flatMap(one => (one.in === 'query' ? [[one.name, one.schema]] : [])),
          ),
          headers: all.flatMap(one => (one.in === 'header' ? [one.name] : [])),
          body: content && {
            members: content.schema.properties ?? {},
            example: JSON.parse(onRecords(JSON.stringify(content.example), idOf)),
          },
        }
      }),
    )
    .sort((a, b) => ORDER.indexOf(a.method.toLowerCase()) - ORDER.indexOf(b.method.toLowerCase()))
}

const parameterOf = ({ components }: Document, reference: string): Parameter => {
  const found = components.parameters[reference.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`The document does not have ${reference}`)
  return found
}

/** The ids of one record of each kind, by prefix. */
const recordIds = async (client: Client): Promise<Map<string, string>> => {
  const records = await oneOfEach(client)
  const { data: test } = (await client.post(`/webhooks/${records.webhook}/test`)).body
  const run = (await client.post(`/projects/${records.project}/rank-runs`)).body.data
  const failed = await logEntryOf(client, await client.get('/nothing'))
  const ids = [...Object.values(records), test.id, test.event_id, run.id, failed.id]
  return new Map(ids.map(id => [id.split('_')[0], id]))
}

const ID = /\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g

/** An example of the document with the ids of these records, and no host that would be looked up. */
const onRecords = (example: unknown, idOf: Map<string, string>): string => {
  if (typeof example === 'number') return String(example)
  if (typeof example !== 'string')
    throw new Error('The document has a path parameter without an example')
  return example
    .replaceAll(ID, (_, prefix: string) => {
      const id = idOf.get(prefix)
      if (id === undefined) throw new Error(`There is no record whose id begins with ${prefix}_`)
      return id
    })
    .replaceAll(/https:\/\/[^"]*/g, 'http://127.0.0.1:9/')
}
