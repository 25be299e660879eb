import { afterAll, expect, test } from 'bun:test'
import net, { type Socket } from 'node:net'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { client, send } from '../support/client'
import { until } from '../support/until'

const arden = await useArden({ serve: true })
const { host, hostname, port } = new URL(arden.url)

/** Of each body, all but the last byte is sent. */
const BODY_BYTES = 1024 ** 2
const BODY = `{"name":"${'a'.repeat(BODY_BYTES - 12)}"`

const sockets = new Set<Socket>()
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

/** Begins to send a body of 1 MiB. */
const upload = async (key: string, { inChunks = false } = {}) => {
  const socket = net.connect(Number(port), hostname)
  sockets.add(socket)
  let response = ''
  socket.on('data', data => {
    response += data.toString('latin1')
  })
  socket.write(
    `POST /api/public/v1/projects HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`,
  )
  socket.write(
    inChunks
      ? `Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n`
      : `Content-Length: ${BODY_BYTES - 1}\r\n\r\n${BODY}`,
  )
  return {
    finish: () => socket.write(inChunks ? '1\r\n}\r\n0\r\n\r\n' : '}'),
    status: () => Number(response.split(' ')[1] ?? 0),
    abort: () => socket.destroy(),
  }
}

test.each([{ inChunks: false }, { inChunks: true }])(
  'an account sends at most 16 MiB of bodies at a time, whether it waits for their last byte or not: %j',
  async how => {
    const { accountId } = await createCaller(arden.sql)
    const keys = [await arden.key({ accountId }), await arden.key({ accountId })]
    const first = client(arden.url, keys[0]?.key ?? '')
    const begun = await Promise.all(
      Array.from({ length: 17 }, (_, n) => upload(keys[n % 2]?.key ?? '', how)),
    )
    const uploads = await until('one of 17 is refused', () => {
      const accepted = begun.filter(({ status }) => status() !== 429)
      return accepted.length === 16 ? accepted : undefined
    })
    const large = { name: 'a'.repeat(BODY_BYTES - 100) }
    const refused = await first.post('/projects', large)
    expect(refused.status).toBe(429)
    expect(refused.body.error).toBe('TOO_MANY_REQUESTS')
    expect(refused.body.message).toStartWith('The requests of your account that are in progress')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await first.post('/projects', { name: 'small' })).status).toBe(201)
    const other = await arden.client({ accountId: await arden.newAccount() })
    expect((await other.post('/projects', large)).status).toBe(422)

    for (const { finish } of uploads.slice(0, 8)) finish()
    for (const { abort } of uploads.slice(8)) abort()
    await until('they are free', async () => (await first.post('/projects', large)).status === 422)
    await until('the complete ones have a response', () =>
      uploads.slice(0, 8).every(({ status }) => status() === 422),
    )
  },
)

test('a body without a session has at most 32 KiB', async () => {
  const signIn = (password: string) =>
    send(`${arden.url}/dashboard/api/open/sign-in`, {
      method: 'POST',
      headers: { origin: arden.url, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password }),
    })
  expect((await signIn('a'.repeat(33_000))).status).toBe(413)
  expect((await signIn('a'.repeat(1_000))).status).toBe(401)
})
