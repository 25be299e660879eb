import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { send } from '../support/client'
import { endpointsWithBody } from '../support/http/endpoints-with-body'
import { oneOfEach } from '../support/http/one-of-each'

const arden = await useArden({ serve: true })
const live = await arden.client()
const records = await oneOfEach(live)
const endpoints = endpointsWithBody(records)

describe('for each endpoint with a body', () => {
  test('which are all that the document has one of', async () => {
    const { paths } = (await send(`${arden.url}/openapi.json`)).body
    const documented = Object.entries<Record<string, { requestBody?: object }>>(paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations).flatMap(([method, { requestBody }]) =>
          requestBody === undefined ? [] : `${method} ${path}`,
        ),
    )
    const looked = endpoints.map(
      ({ method, path }) => `${method} /api/public/v1${path.replace(/\b[a-z]+_[0-9a-z]+/, '{id}')}`,
    )
    expect(looked.sort()).toEqual(documented.sort())
  })

  test('a missing member is a 422 that names it', async () => {
    for (const { method, path, good, required } of endpoints)
      for (const member of required) {
        const { [member]: _, ...rest } = good
        const response = await live[method](path, rest)
        expect([path, member, response.status]).toEqual([path, member, 422])
        expect(response.body.error).toBe('VALIDATION_ERROR')
        expect(response.body.message).toBe(`${member}: is required`)
        expect(response.body.details).toEqual([{ path: member, message: 'is required' }])
      }
  })

  test('a member of a wrong type or value is a 422 that names it', async () => {
    for (const { method, path, good, wrong } of endpoints)
      for (const [member, value] of Object.entries(wrong)) {
        const response = await live[method](path, { ...good, [member]: value })
        expect([path, member, response.status]).toEqual([path, member, 422])
        expect(response.body.message.startsWith(member)).toBe(true)
        expect(response.body.details[0].path.split('.')[0]).toBe(member)
      }
  })

  test('all wrong members are in one response', async () => {
    for (const { method, path, good, wrong } of endpoints) {
      const { status, body } = await live[method](path, { ...good, ...wrong, colour: 'red' })
      const named = body.details.map((one: { path: string }) => one.path.split('.')[0])
      expect([path, status, named.sort()]).toEqual([
        path,
        422,
        [...Object.keys(wrong), 'colour'].sort(),
      ])
    }
  })

  test('an unknown member is a 422 that names it', async () => {
    for (const { method, path, good } of endpoints) {
      const response = await live[method](path, { ...good, colour: 'red' })
      expect([path, response.status, response.body.message]).toEqual([
        path,
        422,
        'colour: is not a member of this request',
      ])
    }
  })

  test('an oversized member is a 422 that names it', async () => {
    for (const { method, path, good, oversized } of endpoints) {
      const response = await live[method](path, { ...good, ...oversized })
      expect([path, response.status]).toEqual([path, 422])
      expect(response.body.details[0].path).toBe(Object.keys(oversized)[0])
    }
  })

  test('a body that is no object is a 422', async () => {
    for (const { method, path, required } of endpoints)
      for (const body of ['[]', 'null', '"text"', '5']) {
        const response = await live[method](path, body)
        expect([path, body, response.status]).toEqual([path, body, 422])
        if (required.length > 0) expect(response.body.message).toBe('body: must be a JSON object')
      }
  })

  test('a body over 1 MiB is a 413, with a length or in chunks', async () => {
    for (const { method, path } of endpoints) {
      const response = await live[method](path, { name: 'x'.repeat(1024 * 1024) })
      expect([path, response.status, response.body.error]).toEqual([path, 413, 'PAYLOAD_TOO_LARGE'])
    }
    const { key: value } = await arden.key()
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024))
    let sent = 0
    const chunked = await send(`${arden.url}/api/public/v1/articles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        pull: controller => (sent++ < 20 ? controller.enqueue(chunk) : controller.close()),
      }),
    })
    expect([chunked.status, chunked.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('a body that does not parse is a 400 INVALID_JSON', async () => {
    for (const { method, path } of endpoints) {
      const response = await live[method](path, '{"name": ')
      expect([path, response.status, response.body.error]).toEqual([path, 400, 'INVALID_JSON'])
    }
  })

  test('U+0000 in any string is a 422 that names the member', async () => {
    for (const { method, path, good } of endpoints) {
      const member = Object.keys(good)[0] ?? ''
      const response = await live[method](path, { ...good, [member]: 'a\0b' })
      expect([path, response.status]).toEqual([path, 422])
      expect(response.body.message).toBe(
        `${member}: must not contain the character U+0000 or half of a surrogate pair`,
      )
    }
    const fine = await live.post('/projects', '{"name": "a\\\\u0000b"}')
    expect(fine.body.data.name).toBe('a\\u0000b')
  })
})

describe('content types', () => {
  const post = async (path: string, contentType: string | undefined, body?: string) => {
    const { key: value } = await arden.key()
    return send(`${arden.url}/api/public/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${value}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
    })
  }

  test('another content type is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      undefined,
    ]) {
      const response = await post('/projects', type, '{"name":"a"}')
      expect([type, response.status, response.body.error]).toEqual([
        type,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ])
    }
    expect(
      (await post('/projects', 'Application/JSON; charset=utf-8', '{"name":"a"}')).status,
    ).toBe(201)
  })

  test('a compressed body is a 415 that says so', async () => {
    const { key: value } = await arden.key()
    const response = await send(`${arden.url}/api/public/v1/projects`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${value}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: Bun.gzipSync('{"name":"a"}'),
    })
    expect([response.status, response.body.message]).toEqual([
      415,
      'The body is compressed (Content-Encoding: gzip). Send it uncompressed, without that header.',
    ])
  })

  test('an empty body is fine where no member is required, with or without a content type', async () => {
    for (const type of ['application/json', undefined, 'text/plain'])
      expect((await post(`/webhooks/${records.webhook}/rotate-secret`, type)).status).toBe(200)
    const response = await post('/projects', 'application/json')
    expect([response.status, response.body.message]).toEqual([422, 'name: is required'])
  })

  test('DELETE with a content type and no body passes', async () => {
    const { body } = await live.post('/projects', { name: 'gone' })
    const { key: value } = await arden.key()
    const response = await send(`${arden.url}/api/public/v1/projects/${body.data.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
  })
})
