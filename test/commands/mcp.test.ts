import { expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Scope } from '../../src/caller'
import { setAllPaused } from '../../src/webhooks/endpoints/pause'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { ARDEN, goArden } from '../support/process'
import { settled } from '../support/settled'
import { stopAfterTests } from '../support/stop-after-tests'
import { outcome, recordAttempt } from '../support/webhooks/attempt'

/** `arden mcp` by the official client, over both of its transports, on a real server. */

const arden = await useArden({ serve: true })

const newKey = async (...scopes: Scope[]) => (await arden.key({ mode: 'test', scopes })).key
const writer = await newKey('read', 'write')
const reader = await newKey('read')
const api = client(arden.url, writer)

const http = goArden(['mcp', '--http', '--port', '0', '--url', arden.url], {})
stopAfterTests({ stop: () => http.child.kill() })
await http.shows('err', 'Ctrl-C')
const endpoint = /http:\S+\/mcp/.exec(http.printed.err)?.[0] ?? ''

const connections = {
  stdio: (key: string) => {
    const [command = '', ...args] = ARDEN
    return new StdioClientTransport({
      command,
      args: [...args, 'mcp'],
      env: { ARDEN_API_KEY: key, ARDEN_URL: arden.url },
    })
  },
  'Streamable HTTP': (key: string) =>
    new StreamableHTTPClientTransport(new URL(endpoint), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
}

const clients: Client[] = []
stopAfterTests({ stop: () => Promise.all(clients.map(one => one.close())) })

const connect = async (transport: keyof typeof connections, key: string) => {
  const mcp = new Client({ name: 'tests', version: '1.0.0' })
  clients.push(mcp)
  // Its type of `sessionId` is not that of the interface with `exactOptionalPropertyTypes`.
  await mcp.connect(connections[transport](key) as Parameters<Client['connect']>[0])
  return {
    mcp,
    /** The text that a tool returns, and whether it is an error. */
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const result = await mcp.callTool({ name, arguments: args }, CallToolResultSchema)
      const { content, isError = false } = CallToolResultSchema.parse(result)
      const text = content.map(one => (one.type === 'text' ? one.text : '')).join('')
      return { text, isError }
    },
  }
}

test.each(['stdio', 'Streamable HTTP'] as const)(
  'over %s a key with the scope read lists tools that only read, and one with write all',
  async transport => {
    const { mcp, call } = await connect(transport, reader)
    expect(mcp.getServerVersion()?.name).toBe('arden')
    expect(mcp.getInstructions()).toContain('test mode')
    const { tools } = await mcp.listTools()
    expect(tools.map(one => one.name)).toContain('explain_delivery')
    expect(tools.filter(one => one.annotations?.readOnlyHint !== true)).toEqual([])
    const refused = await call('create_project', { name: 'x' })
    expect(refused).toEqual({ isError: true, text: expect.stringContaining('the scope "write"') })

    const all = await (await connect(transport, writer)).mcp.listTools()
    const annotations = new Map(all.tools.map(one => [one.name, one.annotations]))
    expect(annotations.get('delete_article')).toMatchObject({ destructiveHint: true })
    expect(annotations.get('create_article')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
    })
  },
)

test.each(['stdio', 'Streamable HTTP'] as const)(
  'over %s a project, a keyword, a generation and an article are made and read',
  async transport => {
    const { call } = await connect(transport, writer)
    const json = async (...args: Parameters<typeof call>) => JSON.parse((await call(...args)).text)
    const project = await json('create_project', { name: 'Blog' })
    const keyword = await json('create_keyword', {
      project_id: project.id,
      keyword: 'cold brew',
      country: 'DE',
    })
    expect(keyword.country).toBe('DE')
    const generation = await json('create_generation', { keyword_id: keyword.id })
    expect((await json('cancel_generation', { id: generation.id })).status).toBe('CANCELLED')
    const article = await json('create_article', {
      project_id: project.id,
      title: 'Cold brew',
      body: 'Grind first.',
    })
    await json('update_article', { id: article.id, status: 'PUBLISHED' })
    const { data } = await json('list_articles', { project_id: project.id })
    expect(data).toMatchObject([{ id: article.id, status: 'PUBLISHED' }])
    expect(data[0]).not.toHaveProperty('body')
    expect((await json('get_article', { id: article.id })).body).toBe('Grind first.')
    expect(await json('delete_project', { id: project.id })).toMatchObject({ deleted: true })
  },
)

test('wrong arguments, and a record that does not exist, are errors in words', async () => {
  const { call } = await connect('Streamable HTTP', writer)
  expect(await call('get_article', { id: 'kw_1' })).toEqual({
    isError: true,
    text: expect.stringContaining('id: has the wrong format'),
  })
  expect(await call('list_articles', { limit: 1000 })).toEqual({
    isError: true,
    text: 'limit: must be a whole number from 1 to 100',
  })
  const missing = await call('explain_delivery', { id: 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne' })
  expect(missing).toEqual({ isError: true, text: expect.stringContaining('No delivery') })
})

/** An article and the id of its event, and of its delivery to the webhook. */
const publish = async (webhook?: string) => {
  const project = await api.post('/projects', { name: 'Blog' })
  await api.post('/articles', { project_id: project.body.data.id, title: 'x', status: 'PUBLISHED' })
  const { body } = await api.get('/events?event=article.published&limit=1')
  const { id } = body.data[0]
  const event = await api.get(`/events/${id}`)
  const delivery = event.body.data.deliveries.find(
    (one: { webhook_id: string }) => one.webhook_id === webhook,
  )
  return { event: id, delivery: delivery?.id }
}

const webhook = async (url = 'http://127.0.0.1:9/in?token=t') =>
  (await api.post('/webhooks', { url, events: ['article.published'] })).body.data.id

const operator = { type: 'cli', id: 'root', name: 'root' } as const

test('explains an event without a delivery, and one whose webhook is paused, disabled or deleted', async () => {
  const { call } = await connect('Streamable HTTP', reader)
  const explain = async (id: string) => (await call('explain_delivery', { id })).text
  const alone = await publish()
  expect(await explain(alone.event)).toContain('no webhook of test mode was subscribed')

  const id = await webhook()
  expect(await explain(alone.event)).toContain(`${id} (created later`)
  await api.post(`/webhooks/${id}/pause`)
  const paused = await publish(id)
  expect(await explain(paused.event)).toContain('the webhook is paused')
  await api.patch(`/webhooks/${id}`, { enabled: false })
  expect(await explain(paused.delivery)).toContain('it fails instead of its next attempt')
  await api.patch(`/webhooks/${id}`, { enabled: true })
  await api.post(`/webhooks/${id}/resume`)
  expect(await explain(paused.delivery)).toContain('no worker is running')
  await setAllPaused(arden.sql, operator, true)
  expect(await explain(paused.delivery)).toContain('an operator has paused all deliveries')
  await setAllPaused(arden.sql, operator, false)

  await api.patch(`/webhooks/${id}`, { enabled: false })
  const disabled = await publish(id)
  expect(await explain(disabled.delivery)).toContain('The webhook is disabled')
  await api.delete(`/webhooks/${id}`)
  expect(await explain(disabled.delivery)).toContain('a webhook that was deleted')
})

test('explains a delivery whose webhook was deleted after an attempt, without advice on the receiver', async () => {
  const { call } = await connect('Streamable HTTP', writer)
  const id = await webhook()
  const { delivery } = await publish(id)
  await recordAttempt(arden.sql, delivery, outcome(500))
  await api.delete(`/webhooks/${id}`)
  const { text } = await call('explain_delivery', { id: delivery })
  expect(text).toContain('the webhook was deleted, so it fails instead of its next attempt.\n')
  expect(text).toContain('Its webhook was deleted, so it cannot be sent again.')
  expect(text).not.toMatch(/Enable|Its log says why/)
})

test('explains the failed attempts of a delivery without its URL, and redelivers it', async () => {
  const { call } = await connect('Streamable HTTP', writer)
  const id = await webhook()
  const { delivery } = await publish(id)
  await recordAttempt(arden.sql, delivery, outcome(401))
  const waiting = (await call('explain_delivery', { id: delivery })).text
  for (const part of ['no worker is running', 'The last attempt failed', 'another secret'])
    expect(waiting).toContain(part)
  await recordAttempt(arden.sql, delivery, outcome(401))
  await recordAttempt(arden.sql, delivery, outcome(401))
  const { text } = await call('explain_delivery', { id: delivery })
  for (const part of ['after 3 attempts', 'Attempt 3', 'another secret', '"body 401"'])
    expect(text).toContain(part)
  expect(text).not.toContain('token=t')
  const redelivered = await call('redeliver_delivery', { id: delivery })
  expect(JSON.parse(redelivered.text).status).toBe('RETRYING')
  await recordAttempt(arden.sql, delivery, outcome(200))
  expect((await call('explain_delivery', { id: delivery })).text).toContain('It arrived: ')
  await call('redeliver_delivery', { id: delivery })
  expect((await call('explain_delivery', { id: delivery })).text).toContain('is sent once more')
})

test('HTTP refuses a request without a key, from a page in a browser, and for another host', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(endpoint, { method: 'POST', headers, body: '{}' }).then(({ status }) => status)
  const refusal = async (headers: Record<string, string>) => {
    const response = await fetch(endpoint, { method: 'POST', headers, body: '{}' })
    const { error } = (await response.json()) as { error: { message: string } }
    return error.message
  }
  const authorization = `Bearer ${writer}`
  expect(await post({})).toBe(401)
  expect(await post({ authorization: 'Bearer x' })).toBe(401)
  expect(await refusal({})).toStartWith('The MCP client sent no API key.')
  expect(await refusal({ authorization: 'Bearer x' })).toStartWith('The value that the MCP client')
  expect(await post({ authorization, origin: 'https://evil.example' })).toBe(403)
  expect(await post({ authorization, host: `evil.example:${new URL(endpoint).port}` })).toBe(403)
  expect((await fetch(endpoint, { headers: { authorization } })).status).toBe(405)
})

test.each([
  ['stdio', 'ARDEN_API_KEY'],
  ['Streamable HTTP', 'the header `Authorization: Bearer <API_KEY>`'],
] as const)(
  'over %s a refused key is an error that says what is wrong with it and where it is set',
  async (transport, place) => {
    const { id, key } = await arden.key({ mode: 'test', scopes: ['read', 'write'] })
    await api.delete(`/api-keys/${id}`)
    for (const [refused, problem] of [
      [key, 'This API key was revoked.'],
      [key.slice(0, -1), 'This API key is incomplete or mistyped.'],
    ] as const) {
      const { mcp, call } = await connect(transport, refused)
      const { text, isError } = await call('list_projects')
      expect([isError, text]).toEqual([true, expect.stringContaining(problem)])
      expect(text).toContain(`The key is that of ${place}`)
      expect(await settled(mcp.listTools())).toThrow(text)
    }
  },
)

test('over stdio it starts from a clone by the words of docs/mcp.md, in a program that does not find bun', async () => {
  const [, words = '[]'] =
    /`args` are `(\["--cwd".*?\])`/.exec(await Bun.file('docs/mcp.md').text()) ?? []
  const args = words.replace('<folder of the clone>', process.cwd())
  const mcp = new Client({ name: 'tests', version: '1.0.0' })
  clients.push(mcp)
  await mcp.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: JSON.parse(args),
      cwd: '/',
      env: { PATH: '/nowhere', ARDEN_API_KEY: reader, ARDEN_URL: arden.url },
    }),
  )
  expect((await mcp.listTools()).tools.length).toBeGreaterThan(0)
})

test('over stdio it ends with its client, and prints nothing but messages', async () => {
  const { child, printed } = goArden(['mcp'], { ARDEN_API_KEY: reader, ARDEN_URL: arden.url })
  expect(await child.exited).toBe(0)
  expect(printed).toEqual({ out: '', err: '' })
})

test('the table of docs/mcp.md has each tool, and no other', async () => {
  const document = await Bun.file('docs/mcp.md').text()
  const table = document.split('\n').filter(line => /^\| `\w+`/.test(line))
  const documented = table.flatMap(line => line.match(/`\w+`/g) ?? []).map(one => one.slice(1, -1))
  const { mcp } = await connect('stdio', writer)
  const { tools } = await mcp.listTools()
  expect(documented.sort()).toEqual(tools.map(one => one.name).sort())
})
