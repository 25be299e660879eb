import Ajv, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { ApiResponse } from '../client'
import { readDocument } from './document'

type Schema = { [keyword: string]: unknown }
type Body = { content?: { [type: string]: { schema: Schema } } }
type Methods = { [method: string]: { responses: { [status: string]: Body & { $ref?: string } } } }
type Document = {
  components: { responses: { [name: string]: Body } }
  paths: { [path: string]: Methods }
}
/** The document, looked up by path and method. */
type DocumentedApi = Pick<Document, 'components'> & {
  operations: { pattern: RegExp; methods: Methods }[]
}

const documents = new Map<string, Promise<DocumentedApi>>()
const ajv = addFormats(new Ajv({ strict: false, allErrors: true }))
/** By the schema as the document has it: a compilation takes some ms, many times what the call itself does. */
const validators = new WeakMap<Schema, ValidateFunction>()

/**
 * Compares a response with the OpenAPI document of its server: its status is documented for
 * the operation, and its body is what the document says, without a member more.
 */
export const checkResponse = async (
  url: string,
  method: string,
  response: ApiResponse,
): Promise<void> => {
  const { origin, pathname } = new URL(url)
  const fetched = documents.get(origin) ?? readDocument(origin).then(byPath)
  documents.set(origin, fetched)
  const document = await fetched
  const operation = find(document, method, pathname)
  // Paths and methods that do not exist are not in the document: they are errors in its form.
  if (operation === undefined) return
  const stated = operation.responses[response.status]
  const documented = stated?.$ref
    ? document.components.responses[stated.$ref.split('/').at(-1) ?? '']
    : stated
  if (documented === undefined && response.status !== 500)
    throw new Error(
      `${method} ${pathname} responded with ${response.status}, which the document does not have`,
    )
  const schema = documented?.content?.['application/json']?.schema
  if (schema === undefined) return
  const validate = validators.get(schema) ?? ajv.compile(closed(schema))
  validators.set(schema, validate)
  if (!validate(response.body))
    throw new Error(
      `${method} ${pathname} responded with ${JSON.stringify(response.body)}, which is not as documented: ${ajv.errorsText(validate.errors)}`,
    )
}

const byPath = ({ components, paths }: Document): DocumentedApi => {
  const operations = Object.entries(paths)
    // `/api-keys/current` before `/api-keys/{id}`.
    .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods,
    }))
  return { components, operations }
}

const find = ({ operations }: DocumentedApi, method: string, pathname: string) =>
  operations.find(({ pattern }) => pattern.test(pathname))?.methods[method.toLowerCase()]

/** The schema with every object closed: a member that is not documented is noticed. */
export const closed = (schema: unknown): Schema => {
  if (Array.isArray(schema)) return schema.map(closed) as unknown as Schema
  if (typeof schema !== 'object' || schema === null) return schema as unknown as Schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  return 'properties' in inner ? { additionalProperties: false, ...inner } : inner
}
