import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import pkg from '../../package.json'
import { scopeOf } from './gate'
import { commonErrors, errorResponses } from './operation'

export const DOCUMENT_PATH = '/openapi.json'

const INTRODUCTION = `Content generation with signed webhooks.

Every call needs \`Authorization: Bearer <API_KEY>\`. Keys begin with \`ar_live_\` or \`ar_test_\`; a test key sees and makes only test records, and counts towards no plan.`

/**
 * The OpenAPI document at /openapi.json, from the routes' own schemas. The plugin collects the routes;
 * what it gets wrong is put right here: its version of OpenAPI (TypeBox writes the JSON Schema of 3.1),
 * content types that are not accepted, bodies that are required although no member is, examples in the
 * wrong place, and what it cannot know: scopes and the errors that every call can get.
 */
export const openApiDocument = (publicUrl: string | undefined) =>
  new Elysia({ name: 'openapi' })
    .onAfterHandle(({ path, responseValue }) =>
      path === DOCUMENT_PATH ? corrected(responseValue as Document) : undefined,
    )
    .use(
      swagger({
        provider: 'swagger-ui',
        // The plugin's own page, which http/docs-page.ts replaces.
        path: '/docs/plugin',
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

type OperationObject = {
  description?: string
  responses: object
  parameters?: Parameter[]
  requestBody?: { content: { [type: string]: { schema?: { required?: string[] } } } }
}
type Parameter = { schema: object; examples?: unknown[] }
type Document = {
  components: object
  paths: { [path: string]: { [method: string]: OperationObject } }
}

const corrected = ({ components, paths, ...document }: Document) => ({
  ...document,
  openapi: '3.1.0',
  components: { ...components, responses: errorResponses },
  paths: mapValues(paths, methods =>
    mapValues(methods, (operation, method) => correctedOperation(method, operation)),
  ),
})

const correctedOperation = (
  method: string,
  { requestBody, parameters, ...operation }: OperationObject,
) => {
  const json = requestBody?.content['application/json']
  const scope = `Scope: \`${scopeOf(method.toUpperCase())}\`.`
  return {
    ...operation,
    description: operation.description ? `${operation.description}\n\n${scope}` : scope,
    responses: { ...operation.responses, ...commonErrors(method) },
    ...(parameters && { parameters: parameters.map(correctedParameter) }),
    ...(json && {
      requestBody: {
        required: (json.schema?.required?.length ?? 0) > 0,
        content: { 'application/json': json },
      },
    }),
  }
}

/** A list of examples is JSON Schema's; a parameter's own `examples` would be an object. */
const correctedParameter = ({ examples, schema, ...parameter }: Parameter) => ({
  ...parameter,
  schema: { ...schema, ...(examples && { examples }) },
})

const mapValues = <A, B>(record: { [key: string]: A }, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
