import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Arden, startArden } from './support/arden'
import { send } from './support/client'

let arden: Arden

beforeAll(async () => {
  arden = await startArden({ serve: true })
})
afterAll(() => arden.stop())

type Operation = {
  summary?: string
  description?: string
  tags?: string[]
  operationId?: string
  security?: unknown
  responses: { [status: string]: { description?: string } }
  requestBody?: { required: boolean; content: { [type: string]: unknown } }
}

const operations = async (): Promise<[string, Operation][]> => {
  const { body } = await send(`${arden.url}/openapi.json`)
  return Object.entries<{ [method: string]: Operation }>(body.paths).flatMap(([path, methods]) =>
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

test('it has all eleven endpoints of service.md chapter 4', async () => {
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
      expect.arrayContaining(['401', '403', '429', '500', '503']),
    ])
    if (name.includes('{id}'))
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['404'])])
    if (operation.requestBody !== undefined) {
      expect([name, Object.keys(operation.requestBody.content)]).toEqual([
        name,
        ['application/json'],
      ])
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['400', '413', '415', '422'])])
    }
  }
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
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
})
