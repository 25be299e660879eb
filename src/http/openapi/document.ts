import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import pkg from '../../../package.json'
import { SECRET_MEMBERS } from '../idempotency'
import { scopeOf } from '../request/gate'
import { pathParameter } from '../request/path-parameter'
import { commonErrors, errorResponseComponents } from './error-responses'
import { exampleOf, type Schema } from './example'
import {
  headerComponents,
  headerParameterComponents,
  headerParameterReferences,
  headerReferences,
} from './headers'
import { createLinks } from './links'
import { nameSchemas } from './named-schemas'

export const DOCUMENT_PATH = '/openapi.json'
export const DOCS_PATH = '/docs'

const INTRODUCTION = `Content generation with signed webhooks.

Every call needs \`Authorization: Bearer <API_KEY>\`. Keys begin with \`ar_live_\` or \`ar_test_\`; a test key sees and creates only test records, and does not count toward any plan limit.

No text of a request has the character U+0000. Lengths count UTF-16 code units, as in JavaScript.`

/**
 * The OpenAPI document at /openapi.json (contract 1.1). `@elysiajs/swagger` collects the routes and their schemas;
 * `correctDocument` fixes its output (OpenAPI version, content types, `required` of bodies, examples) and
 * adds scopes, common errors, links, `components.schemas` and `webhooks`.
 */
export const openApiDocument = (publicUrl: string | undefined, webhooks: object) => {
  let corrected: object | undefined
  return new Elysia({ name: 'openapi' })
    .onAfterHandle(({ path, responseValue }) => {
      if (path !== DOCUMENT_PATH) return undefined
      corrected ??= correctDocument(responseValue as Document, webhooks)
      return corrected
    })
    .use(
      swagger({
        provider: 'swagger-ui',
        // This page loads its script from a CDN. http/docs/reference.ts replaces it: of two routes with the same path,
        // Elysia uses the later one.
        path: DOCS_PATH,
        specPath: DOCUMENT_PATH,
        exclude: [/^\/(?!api\/)/],
        documentation: {
          info: { title: 'Arden', version: pkg.version, description: INTRODUCTION },
          components: {
            securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
          },
          security: [{ apiKey: [] }],
          ...(publicUrl === undefined ? {} : { servers: [{ url: publicUrl }] }),
        },
      }),
    )
}

type Content = { 'application/json': { schema: Schema } }
type ResponseObject = {
  description: string
  content: Content | { [contentType: string]: object }
  headers?: object
}
type OperationObject = {
  operationId?: string
  description?: string
  responses: { [status: string]: { $ref: string } | ResponseObject }
  parameters?: Parameter[]
  /** Set by `streamOperation`: the plugin does not accept additional parameters. */
  requestHeaders?: { [name: string]: object }
  requestBody?: { content: Content }
}
type Parameter = {
  name: string
  in: string
  description?: string
  schema: object
  examples?: unknown[]
}
type Document = {
  components: object
  paths: { [path: string]: { [method: string]: OperationObject } }
}

const correctDocument = ({ components, paths, ...document }: Document, webhooks: object) => {
  const linksOf = createLinks(paths, (path, name) => pathParameter(path, name).pattern)
  const corrected = {
    paths: mapValues(paths, (methods, path) =>
      mapValues(methods, (operation, method) =>
        correctOperation(operation, { path, method, linksOf }),
      ),
    ),
    webhooks,
    components: {
      ...components,
      headers: headerComponents,
      parameters: headerParameterComponents,
      responses: errorResponseComponents,
    },
  }
  const schemas = {}
  const named = nameSchemas(corrected, schemas) as typeof corrected
  return {
    ...document,
    openapi: '3.1.0',
    ...named,
    components: { ...named.components, schemas },
  }
}

type Place = { path: string; method: string; linksOf: ReturnType<typeof createLinks> }

const correctOperation = (
  { requestBody, parameters = [], requestHeaders = {}, responses, ...operation }: OperationObject,
  { path, method, linksOf }: Place,
) => {
  const body = requestBody?.content['application/json'].schema
  const scope = `Scope: \`${scopeOf(method.toUpperCase())}\`.`
  return {
    ...operation,
    description: operation.description ? `${operation.description}\n\n${scope}` : scope,
    responses: {
      ...mapValues(responses, (response, status) =>
        '$ref' in response
          ? response
          : {
              ...response,
              headers: { ...headerReferences(Number(status), method), ...response.headers },
              content: correctContent(method, response.content),
              ...(isJson(response.content) && {
                links: linksOf(response.content['application/json'].schema),
              }),
            },
      ),
      ...commonErrors(method),
    },
    parameters: [
      ...parameters.map(one => correctParameter(path, one)),
      ...Object.entries(requestHeaders).map(([name, about]) => ({ name, in: 'header', ...about })),
      ...headerParameterReferences(method),
    ],
    ...(requestBody &&
      Object.keys(body?.properties ?? {}).length > 0 && {
        requestBody: {
          required: (body?.required?.length ?? 0) > 0,
          content: jsonContent(requestBody.content),
        },
      }),
  }
}

const isJson = (content: ResponseObject['content']): content is Content =>
  'application/json' in content

/** A stream already has an example, and a file needs none. */
const correctContent = (method: string, content: ResponseObject['content']) => {
  if (!isJson(content)) return content
  return jsonContent(method === 'post' ? withoutRequiredSecrets(content) : content)
}

/** The JSON content of a body, with an example. */
const jsonContent = ({ 'application/json': { schema } }: Content) => ({
  'application/json': { schema, example: exampleOf(schema) },
})

/** Secret members are not `required`: a replayed response lacks them (contract 6.12). */
const withoutRequiredSecrets = ({ 'application/json': { schema } }: Content): Content => {
  const data = schema.properties?.data
  if (!data?.required) return { 'application/json': { schema } }
  const required = data.required.filter(member => !SECRET_MEMBERS.includes(member))
  const properties = { ...schema.properties, data: { ...data, required } }
  return { 'application/json': { schema: { ...schema, properties } } }
}

/**
 * The plugin moves `description` and `examples` from the schema to the parameter. There OpenAPI expects an object as
 * `examples`, and a schema with a title is the same wherever it is used.
 */
const correctParameter = (path: string, { examples, schema, ...parameter }: Parameter) => ({
  ...parameter,
  schema:
    parameter.in === 'path'
      ? pathParameter(path, parameter.name)
      : {
          ...schema,
          ...(examples && { examples }),
          ...('title' in schema && { description: parameter.description }),
        },
})

const mapValues = <A, B>(record: { [key: string]: A }, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
