import { afterAll, beforeEach, expect, spyOn, test } from 'bun:test'
import net from 'node:net'
import { checkWebhookUrl, resolveAddress } from '../../src/webhooks/transport/address'
import { createPost } from '../../src/webhooks/transport/post'
import { createAuthority } from '../support/network/certificates'
import { type NameResponse, startNameServer } from '../support/network/name-server'

/**
 * A hostile name server that names a public address first and a private one afterwards, and the resolver and the
 * connections of a worker. The "public" receiver is on loopback too: only connections to the public address reach it.
 */

const HOST = 'rebinding.example'
const PUBLIC = '93.184.215.14'
const PRIVATE = '127.0.0.1'
const NOT_PUBLIC = 'the name has an address that is not public'
const RULES = { allowPrivate: false }

const authority = await createAuthority('A test CA')
const certificate = await authority.issue(HOST, 'server', [{ type: 'dns', value: HOST }])
const received = { public: 0, private: 0 }
const startReceiver = (name: keyof typeof received) =>
  Bun.serve({
    port: 0,
    hostname: PRIVATE,
    tls: certificate,
    fetch: () => {
      received[name]++
      return new Response(name)
    },
  })
const receivers = { public: startReceiver('public'), private: startReceiver('private') }
/** Its port is that of the private receiver, so a connection to the private address would reach that. */
const url = new URL(`https://${HOST}:${receivers.private.port}/hook`)

let responses: NameResponse[] = []
const { queried, stop } = await startNameServer((_, type) =>
  type === 'A' ? (responses.shift() ?? [PRIVATE]) : [],
)

const connected: unknown[] = []
const connect = net.connect as (options: net.TcpNetConnectOpts) => net.Socket
const spy = spyOn(net, 'connect').mockImplementation(((options: net.TcpNetConnectOpts) => {
  connected.push(options.host)
  const isPublic = options.host === PUBLIC
  return connect(
    isPublic ? { ...options, host: PRIVATE, port: receivers.public.port as number } : options,
  )
}) as typeof net.connect)

beforeEach(() => {
  queried.length = 0
  connected.length = 0
  Object.assign(received, { public: 0, private: 0 })
})
afterAll(async () => {
  spy.mockRestore()
  stop()
  await Promise.all([receivers.public.stop(true), receivers.private.stop(true)])
})

const createSender = () => {
  const post = createPost({ ca: authority.cert })
  return () =>
    post({
      accountId: 'acc_test',
      url,
      resolve: (deadline, lookup) => resolveAddress(url, RULES, deadline, lookup),
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
    })
}

test('connects to the checked address, although the name has a private one a moment later', async () => {
  responses = [[PUBLIC], [PRIVATE]]
  expect(await createSender()()).toMatchObject({ httpStatus: 200, responseBody: 'public' })
  expect(connected).toEqual([PUBLIC])
  // One for IPv4 and one for IPv6: the connection did not resolve the name again.
  expect(queried).toEqual([HOST, HOST])
  expect(received).toEqual({ public: 1, private: 0 })
})

test('checks again at each attempt, and connects nowhere when the name has become private', async () => {
  const send = createSender()
  responses = [[PUBLIC], [PRIVATE]]
  await send()
  expect(await send()).toEqual({
    httpStatus: null,
    responseBody: null,
    error: NOT_PUBLIC,
  })
  expect(connected).toEqual([PUBLIC])
  expect(received).toEqual({ public: 1, private: 0 })
})

test('an address that was public when the webhook was created is not trusted at the delivery', async () => {
  responses = [[PUBLIC], [PRIVATE]]
  await checkWebhookUrl(url.href, RULES)
  expect((await createSender()()).error).toBe(NOT_PUBLIC)
  expect(connected).toEqual([])
})

test('connects nowhere when one of several addresses is private', async () => {
  for (const mixed of [
    [PUBLIC, PRIVATE],
    [PUBLIC, '169.254.169.254'],
    ['10.0.0.1', PUBLIC],
  ]) {
    responses = [mixed]
    expect((await createSender()()).error).toBe(NOT_PUBLIC)
  }
  expect(connected).toEqual([])
  expect(received).toEqual({ public: 0, private: 0 })
})
