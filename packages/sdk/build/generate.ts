import { join } from 'node:path'
import * as typescript6 from '@typescript/typescript6'

/**
 * `bun packages/sdk/build/generate.ts [url of openapi.json]` writes src/generated.ts from the document of a
 * running server, by default that of `bun run dev`.
 */
export const GENERATED = join(import.meta.dir, '../src/generated.ts')

const BASE_PATH = '/api/public/v1'

// openapi-typescript writes with the compiler API, which TypeScript 7 no longer has.
Bun.plugin({
  name: 'typescript-6',
  setup: build =>
    void build.module('typescript', () => ({
      exports: { ...typescript6, default: typescript6 },
      loader: 'object',
    })),
})

type Schema = { title?: string; properties?: { [member: string]: Schema }; required?: string[] }
type Body = { content: { 'application/json': { schema: Schema } } }
type Operation = {
  operationId?: string
  parameters: { in?: string }[]
  requestBody?: Body
  responses: { [status: string]: Partial<Body> & { description: string } }
}
type Paths = { [path: string]: { [method: string]: Operation } }
type Document = {
  components: { responses: { [name: string]: Body } }
  paths: Paths
  webhooks: { [event: string]: { post: Operation } }
}

/** The text of src/generated.ts: types of every call and event, and which calls show a secret once. */
export const generate = async (document: Document): Promise<string> => {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript')
  const schemas: Schemas = {}
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path.replace(BASE_PATH, ''),
      mapValues(jsonOperations(methods), trimOperation(schemas)),
    ]),
  )
  const webhooks = mapValues(document.webhooks, ({ post }) => ({
    post: trimOperation(schemas)(post),
  }))
  const responses = mapValues(document.components.responses, withoutHeaders)
  const input = { ...document, paths, webhooks, components: { schemas, responses } }
  // The library's type of a document is another package's, far wider than what Arden's is made of.
  const types = await openapiTypescript(input as unknown as Input, { alphabetize: true })
  return `// Made by build/generate.ts from the server's OpenAPI document. Do not edit.

/** What all \`paths\` begin with, below the server's URL. */
export const BASE_PATH = '${BASE_PATH}'

/** The member of a POST's answer that only its first answer has, by path. */
export const SECRETS: { readonly [path: string]: 'key' | 'secret' | undefined } = ${JSON.stringify(listSecrets(document.paths), null, 2)}

${astToString(types)}`
}
type Input = Parameters<typeof import('openapi-typescript')['default']>[0]

/** Those whose answer is JSON: a stream is no call of the client's. */
const jsonOperations = (methods: Paths[string]): Paths[string] =>
  Object.fromEntries(
    Object.entries(methods).filter(([, { responses }]) =>
      Object.entries(responses).some(
        ([status, { content = {} }]) => status.startsWith('2') && 'application/json' in content,
      ),
    ),
  )

/** What callers see of an operation: headers and errors are the client's business. */
const trimOperation =
  (schemas: Schemas) =>
  ({ parameters, requestBody, responses, operationId: _, ...operation }: Operation) => ({
    ...operation,
    parameters: parameters.filter(one => one.in === 'path' || one.in === 'query'),
    ...(requestBody && {
      requestBody: { ...requestBody, ...withNamedSchemas(schemas, requestBody) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { content, description }]) => [
          status,
          { description, ...(content && withNamedSchemas(schemas, withSecret(content))) },
        ]),
    ),
  })

/** A secret that an answer may be without is always there for callers: without it the client throws. */
const withSecret = (content: Body['content']): Body => {
  const { schema } = content['application/json']
  const { data } = schema.properties ?? {}
  const secret = data && findSecret(data)
  if (secret === undefined) return { content }
  const required = [...(data?.required ?? []), secret]
  const properties = { ...schema.properties, data: { ...data, required } }
  return { content: { 'application/json': { schema: { ...schema, properties } } } }
}

/** The member of a record that only the first answer has: the document leaves it out of `required`. */
const findSecret = ({ properties = {}, required = [] }: Schema): 'key' | 'secret' | undefined =>
  (['key', 'secret'] as const).find(member => member in properties && !required.includes(member))

/** A body without its example, its records moved to `schemas`. */
const withNamedSchemas = (schemas: Schemas, { content }: Body) => ({
  content: {
    'application/json': { schema: extractSchemas(schemas, content['application/json'].schema) },
  },
})

type Schemas = { [title: string]: unknown }

/** The schema with a reference wherever it has a record with a title, which becomes a type of that name. */
const extractSchemas = (schemas: Schemas, schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(one => extractSchemas(schemas, one))
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = mapValues(schema as Schema, one => extractSchemas(schemas, one))
  // In `properties` it is a member of that name.
  if (typeof inside.title !== 'string') return inside
  const { title, ...inner } = inside
  const known = schemas[title]
  if (known !== undefined && !Bun.deepEquals(known, inner))
    throw new Error(`The document has two schemas with the title ${title}. Give one another title.`)
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

const withoutHeaders = ({ content }: Body) => ({ description: '', content })

const listSecrets = (paths: Paths) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, { post }]) =>
      Object.values(post?.responses ?? {}).flatMap(({ content }) => {
        const data = content?.['application/json']?.schema.properties?.data
        const secret = data && findSecret(data)
        return secret === undefined ? [] : [[path.replace(BASE_PATH, ''), secret]]
      }),
    ),
  )

const mapValues = <A, B>(
  record: { [key: string]: A },
  change: (value: A) => B,
): { [key: string]: B } =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

if (import.meta.main) {
  const url = process.argv[2] ?? 'http://localhost:3000/openapi.json'
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}. Is Arden running there?`)
  await Bun.write(GENERATED, await generate((await response.json()) as Document))
}
