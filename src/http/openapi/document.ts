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

export const DOCUMENT_PATH = '/openapi.json'
export const DOCS_PATH = '/docs'

const INTRODUCTION = `Content generation with signed webhooks.

Every call needs \`Authorization: Bearer <API_KEY>\`. Keys begin with \`ar_live_\` or \`ar_test_\`; a test key sees and makes only test records, and counts towards no plan.`

/**
 * The OpenAPI document at /openapi.json, from the routes' own schemas. The plugin collects the routes;
 * what it gets wrong is put right here: its version of OpenAPI (TypeBox writes the JSON Schema of 3.1),
 * content types that are not accepted, bodies that are required although no member is, examples in the
 * wrong place, and what it cannot know: scopes, the errors that every call can get, and `webhooks`, what is
 * sent to others.
 */
export const openApiDocument = (publicUrl: string | undefined, webhooks: object) =>
  new Elysia({ name: 'openapi' })
    .onAfterHandle(({ path, responseValue }) =>
      path === DOCUMENT_PATH
        ? { ...correctDocument(responseValue as Document), webhooks }
        : undefined,
    )
    .use(
      swagger({
        provider: 'swagger-ui',
        // Its page, which loads a CDN's script, is replaced by that of docs-page.ts: the later
        // route of a path is the one that answers.
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

type Content = { 'application/json': { schema: Schema } }
type ResponseObject = { description: string; content: Content | { 'text/event-stream': object } }
type OperationObject = {
  description?: string
  responses: { [status: string]: { $ref: string } | ResponseObject }
  parameters?: Parameter[]
  /** Of a `streamOperation`: the plugin takes no parameters of ours beside its own. */
  requestHeaders?: { [name: string]: object }
  requestBody?: { content: Content }
}
type Parameter = { name: string; in: string; schema: object; examples?: unknown[] }
type Document = {
  components: object
  paths: { [path: string]: { [method: string]: OperationObject } }
}

const correctDocument = ({ components, paths, ...document }: Document) => ({
  ...document,
  openapi: '3.1.0',
  components: {
    ...components,
    headerComponents,
    parameters: headerParameterComponents,
    responses: errorResponseComponents,
  },
  paths: mapValues(paths, (methods, path) =>
    mapValues(methods, (operation, method) => correctOperation(path, method, operation)),
  ),
})

const correctOperation = (
  path: string,
  method: string,
  { requestBody, parameters = [], requestHeaders = {}, responses, ...operation }: OperationObject,
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
              headers: headerReferences(Number(status), method),
              content: correctContent(method, response.content),
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

/** A stream has its example already. */
const correctContent = (method: string, content: ResponseObject['content']) => {
  if ('text/event-stream' in content) return content
  return jsonContent(method === 'post' ? withoutRequiredSecrets(content) : content)
}

/** The one content type that is accepted, and answered but for streams, with an example. */
const jsonContent = ({ 'application/json': { schema } }: Content) => ({
  'application/json': { schema, example: exampleOf(schema) },
})

/** A replayed answer is without its secrets (http/idempotency.ts), so no member of that name is sure. */
const withoutRequiredSecrets = ({ 'application/json': { schema } }: Content): Content => {
  const data = schema.properties?.data
  if (!data?.required) return { 'application/json': { schema } }
  const required = data.required.filter(member => !SECRET_MEMBERS.includes(member))
  const properties = { ...schema.properties, data: { ...data, required } }
  return { 'application/json': { schema: { ...schema, properties } } }
}

/** A list of examples is JSON Schema's; a parameter's own `examples` would be an object. */
const correctParameter = (path: string, { examples, schema, ...parameter }: Parameter) => ({
  ...parameter,
  schema:
    parameter.in === 'path'
      ? pathParameter(path, parameter.name)
      : { ...schema, ...(examples && { examples }) },
})

const mapValues = <A, B>(record: { [key: string]: A }, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
