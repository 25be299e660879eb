import { expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { MISSING_EXAMPLE } from '../../src/http/openapi/example'
import { EVENT_TYPES } from '../../src/webhooks/events/types'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { readDocument } from '../support/http/document'
import { closed } from '../support/http/documented-responses'
import { documentedOperations } from '../support/http/hostile/operations'

const arden = await useArden({ serve: true })

type Operation = {
  summary?: string
  description?: string
  tags?: string[]
  operationId?: string
  security?: unknown
  responses: { [status: string]: Response }
  requestBody?: { required: boolean; content: Content }
  parameters: { $ref?: string; in?: string; name?: string; description?: string; schema: Schema }[]
}
type Schema = { [keyword: string]: unknown }
type Content = {
  'application/json': {
    schema: Schema
    example?: unknown
    examples?: { [name: string]: { value: unknown } }
  }
}
type Response = { $ref?: string; description: string; headers?: object; content: Content }

const operations = async (): Promise<[string, Operation][]> => {
  const { paths } = await readDocument(arden.url)
  return Object.entries<{ [method: string]: Operation }>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): [string, Operation] => [`${method} ${path}`, one]),
  )
}

test('the document is valid OpenAPI 3.1, says so to a validator not written here', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  expect(body.openapi).toBe('3.1.0')
  const result = await new Validator().validate(body)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('it has all eleven endpoints of the first release', async () => {
  const base = '/api/public/v1'
  const names = (await operations()).map(([name]) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      `post ${base}/api-keys`,
      `get ${base}/api-keys`,
      `patch ${base}/api-keys/{id}`,
      `post ${base}/api-keys/{id}/regenerate`,
      `delete ${base}/api-keys/{id}`,
      `get ${base}/webhooks/events`,
      `post ${base}/webhooks`,
      `post ${base}/webhooks/{id}/rotate-secret`,
      `get ${base}/webhooks/{id}/deliveries`,
      `post ${base}/webhooks/{id}/test`,
      `post ${base}/articles`,
    ]),
  )
})

test('every operation has a summary, its scope, a success and the errors that every call can get', async () => {
  for (const [name, operation] of await operations()) {
    expect([name, operation.summary]).toEqual([name, expect.any(String)])
    const scope = name.startsWith('get ') ? 'read' : 'write'
    expect([name, operation.description]).toEqual([
      name,
      expect.stringContaining(`Scope: \`${scope}\``),
    ])
    const statuses = Object.keys(operation.responses)
    expect([name, statuses.filter(status => status.startsWith('2')).length]).toEqual([name, 1])
    expect([name, statuses]).toEqual([
      name,
      expect.arrayContaining(['401', '403', '422', '429', '500', '503']),
    ])
    if (name.includes('{id}'))
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['404'])])
    if (operation.requestBody !== undefined) {
      expect([name, Object.keys(operation.requestBody.content)]).toEqual([
        name,
        ['application/json'],
      ])
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['400', '413', '415'])])
    }
  }
})

const ajv = addFormats(new Ajv({ strict: false, allErrors: true }))

/** The error of an example; undefined without one. Every object is closed: an additional member is an error. */
const wrong = (example: unknown, schema: Schema): string[] => {
  if (example === undefined) return ['there is none']
  const unnamed = JSON.stringify(example).includes(MISSING_EXAMPLE)
  const fits = ajv.validate(closed(schema), example)
  return [
    ...(unnamed ? [`a text has no example: ${JSON.stringify(example)}`] : []),
    ...(fits ? [] : [`${ajv.errorsText()}: ${JSON.stringify(example)}`]),
  ]
}

test('every body, every response and every id in a path has an example, which fits its schema', async () => {
  const found: [where: string, problems: string[]][] = []
  for (const [name, { requestBody, responses, parameters }] of await operations()) {
    for (const { in: place, name: parameter, schema } of parameters)
      if (place === 'path')
        found.push([`${name} {${parameter}}`, wrong((schema.examples as unknown[])?.[0], schema)])
    const bodies = [requestBody, ...Object.values(responses)].flatMap(one =>
      one && 'content' in one ? Object.values(one.content) : [],
    )
    for (const { schema, example } of bodies) found.push([name, wrong(example, schema)])
  }
  expect(found.length).toBeGreaterThan(40)
  expect(found.filter(([, problems]) => problems.length > 0)).toEqual([])
})

/** The schemas that `value` consists of, at any depth, with their examples. */
const withExamples = (value: unknown): { schema: Schema; examples: unknown[] }[] => {
  if (typeof value !== 'object' || value === null) return []
  const { examples, example, ...rest } = value as Schema
  const inner = Object.values(rest).flatMap(withExamples)
  return Array.isArray(examples) ? [{ schema: rest, examples }, ...inner] : inner
}

test('every example of a part of a schema fits that part', async () => {
  const parts = withExamples(await readDocument(arden.url))
  expect(parts.length).toBeGreaterThan(100)
  const unfit = parts.flatMap(({ schema, examples }) =>
    examples
      .filter(example => !ajv.validate(schema.schema ?? schema, example))
      .map(example => ({ schema, example })),
  )
  expect(unfit).toEqual([])
})

test('it has what is sent to others: the nine events, each with an example of its body and its headers', async () => {
  const body = await readDocument(arden.url)
  expect(Object.keys(body.webhooks)).toEqual([...EVENT_TYPES])
  const tagsOf = (items: object) =>
    Object.values(items).flatMap(methods =>
      Object.values<Operation>(methods).flatMap(one => one.tags ?? []),
    )
  // Generators write a file for each tag: a shared one would lack the operations of one side.
  const ofPaths = new Set(tagsOf(body.paths))
  expect(tagsOf(body.webhooks).filter(tag => ofPaths.has(tag))).toEqual([])
  for (const [type, { post }] of Object.entries<{ post: Operation }>(body.webhooks)) {
    const { schema, example } = post.requestBody?.content['application/json'] ?? { schema: {} }
    expect([type, wrong(example, schema)]).toEqual([type, []])
    expect(example).toMatchObject({ event: type })
    for (const { name, schema } of post.parameters)
      expect([name, wrong((schema.examples as unknown[])?.[0], schema)]).toEqual([name, []])
  }
})

test('names the call of each operation, each request body and each record', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  const names = (await operations()).map(([, { operationId }]) => operationId)
  expect(names).toContain('createArticle')
  expect(names.filter(name => !/^[a-z]+([A-Z][a-z]+)*$/.test(name ?? ''))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  const post = body.paths['/api/public/v1/articles'].post
  const schemaOf = (message: { content: Content }) => message.content['application/json'].schema
  expect(schemaOf(post.requestBody)).toEqual({ $ref: '#/components/schemas/ArticleInput' })
  expect(schemaOf(post.responses[201])).toEqual({ $ref: '#/components/schemas/ArticleResponse' })
  expect(body.components.schemas.ArticleResponse.properties).toEqual({
    data: { $ref: '#/components/schemas/Article' },
  })
  expect(body.components.schemas.ArticleStatus).toMatchObject({ enum: ['DRAFT', 'PUBLISHED'] })
})

test('links the response of an operation to the operations on its record, and on those it belongs to', async () => {
  const { paths } = (await send(`${arden.url}/openapi.json`)).body
  const linksOf = ({ responses }: { responses: { [status: string]: { links: object } } }) =>
    Object.fromEntries(Object.values(responses).flatMap(({ links = {} }) => Object.entries(links)))
  const links = linksOf(paths['/api/public/v1/articles'].post)
  expect(Object.keys(links).sort()).toEqual([
    'checkArticle',
    'deleteArticle',
    'exportArticle',
    'getArticle',
    'getProject',
    'listArticleVersions',
    'updateArticle',
  ])
  expect(links.getProject).toEqual({
    operationId: 'getProject',
    parameters: { id: '$response.body#/data/project_id' },
  })
  const test = linksOf(paths['/api/public/v1/webhooks/{id}/test'].post)
  expect(test.redeliver).toEqual({
    operationId: 'redeliver',
    parameters: {
      id: '$response.body#/data/webhook_id',
      delivery_id: '$response.body#/data/id',
    },
  })
})

test('every example of a body is valid as it is, on records that exist', async () => {
  const live = await arden.client()
  const refused: string[] = []
  for (const { name, method, path, body } of await documentedOperations(arden.url, live)) {
    if (body === undefined) continue
    const response = await send(arden.url + path(), {
      method,
      headers: {
        authorization: `Bearer ${(await arden.key()).key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body.example),
    })
    if (response.status === 422) refused.push(`${name}: ${response.body.message}`)
  }
  expect(refused).toEqual([])
})

test('every error an operation refers to has an example of each of its codes', async () => {
  const body = await readDocument(arden.url)
  const errors = Object.entries<Response>(body.components.responses)
  expect(errors.map(([name]) => name).sort()).toEqual(
    [400, 401, 402, 403, 404, 405, 408, 409, 412, 413, 415, 422, 429, 500, 503].map(
      code => `Error${code}`,
    ),
  )
  const codes = errors.flatMap(([, { content }]) => {
    const { schema, examples = {} } = content['application/json']
    for (const [code, { value }] of Object.entries(examples))
      expect([code, wrong(value, schema)]).toEqual([code, []])
    return Object.keys(examples)
  })
  expect(codes).toContain('IDEMPOTENCY_KEY_REUSED')
  expect(codes).toHaveLength(16)
  for (const [name, { responses }] of await operations())
    for (const [status, response] of Object.entries(responses))
      if (!status.startsWith('2'))
        expect([name, response.$ref]).toEqual([name, `#/components/responses/Error${status}`])
})

test('the headers of requests and responses are defined once, and referred to by all', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  const { headers, parameters } = body.components
  for (const { schema } of [
    ...Object.values<Operation['parameters'][0]>(headers),
    ...Object.values<Operation['parameters'][0]>(parameters),
  ])
    expect(wrong((schema.examples as unknown[])?.[0], schema)).toEqual([])
  for (const [name, operation] of await operations()) {
    const isPost = name.startsWith('post ')
    const references = operation.parameters.flatMap(({ $ref }) => $ref ?? [])
    expect([name, references]).toEqual([
      name,
      ['X-Request-Id', ...(isPost ? ['Idempotency-Key'] : [])].map(
        header => `#/components/parameters/${header}`,
      ),
    ])
    if (isPost)
      expect([name, Object.keys(operation.responses)]).toContainEqual(
        expect.arrayContaining(['409']),
      )
    const isVersioned =
      /^(get|patch) .*\/(projects|keywords|articles|webhooks|api-keys)\/({id}|current)$|\/restore$/.test(
        name,
      )
    for (const [status, response] of Object.entries(operation.responses))
      if (status.startsWith('2'))
        expect([name, Object.keys(response.headers ?? {})]).toEqual([
          name,
          [
            'X-Request-Id',
            'RateLimit-Policy',
            'RateLimit',
            ...(isPost ? ['Idempotent-Replayed'] : []),
            ...(isVersioned ? ['ETag'] : []),
            ...(name.endsWith('/export') ? ['Content-Disposition'] : []),
          ],
        ])
  }
})

test('a header that one operation takes alone is a parameter of it, with an example', async () => {
  const own = (await operations()).flatMap(([name, { parameters }]) =>
    parameters.filter(one => one.in === 'header').map(one => ({ operation: name, ...one })),
  )
  expect(own).toEqual([
    ...[
      'patch /api-keys/{id}',
      'delete /api-keys/{id}',
      'patch /webhooks/{id}',
      'delete /webhooks/{id}',
      'patch /projects/{id}',
      'delete /projects/{id}',
      'patch /keywords/{id}',
      'delete /keywords/{id}',
      'post /articles/{id}/versions/{version}/restore',
      'patch /articles/{id}',
      'delete /articles/{id}',
    ].map(operation => ({
      operation: operation.replace(' ', ' /api/public/v1'),
      name: 'If-Match',
      in: 'header',
      description: expect.any(String),
      schema: { type: 'string', examples: [expect.stringMatching(/^"[\w-]{22}"$/)] },
    })),
    {
      operation: 'get /api/public/v1/events/stream',
      name: 'Last-Event-ID',
      in: 'header',
      description: expect.any(String),
      schema: {
        type: 'string',
        pattern: expect.any(String),
        examples: [expect.stringMatching(/^[0-9a-f]{8}\.\d+\.evt_\w{26}$/)],
      },
    },
  ])
})

test('a set of values has a schema with a name: generators of clients make wrong code without', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  const unnamed: unknown[] = []
  JSON.stringify(body, (_, value) => {
    const { uniqueItems, items } = Object(value)
    if (uniqueItems && ('anyOf' in items || 'enum' in items)) unnamed.push(value)
    return value
  })
  expect(unnamed).toEqual([])
})

test('a constant is a word: generators of clients name a value by it', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  const constants = new Set<unknown>()
  JSON.stringify(body, (_, value) => {
    if (typeof value === 'object' && 'const' in Object(value)) constants.add(value.const)
    return value
  })
  expect(constants.size).toBeGreaterThan(10)
  expect([...constants].filter(one => !/^[A-Za-z][\w.]*$/.test(String(one)))).toEqual([])
})

test('no schema has a default: Elysia would put it in for the caller, in filters too', async () => {
  const { body } = await send(`${arden.url}/openapi.json`)
  expect(JSON.stringify(body)).not.toContain('"default":')
})

test('its page is served from here, script and style included, and names no other host', async () => {
  const page = await send(`${arden.url}/docs`)
  expect(page.status).toBe(200)
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(found => found[1])
  expect(parts.filter(part => !part.startsWith('/') && !part.startsWith('data:'))).toEqual([])
  for (const part of parts.filter(part => part.startsWith('/')))
    expect([part, (await send(arden.url + part)).status]).toEqual([part, 200])
  expect(page.body).not.toContain('://')
  expect((await send(`${arden.url}/docs/plugin`)).status).toBe(404)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
})
