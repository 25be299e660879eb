import { afterAll } from 'bun:test'
import net, { type Socket } from 'node:net'
import type { Mode, Scope } from '../../../src/caller'
import { newId } from '../../../src/ids'
import type { Arden } from '../arden'
import { createCaller } from '../caller'
import { type Client, client } from '../client'

/** A response with a text of this size fills more than the socket buffers. */
export const LARGE_BYTES = 12 * 1024 ** 2

type UnreadResponse = { socket: Socket; status: number }

type Reader = {
  accountId: string
  keyId: string
  api: Client
  /** Requests the event, and reads only the first chunk of the response. */
  request: () => Promise<UnreadResponse>
  /** Changes a record, and reads only the first chunk of the response. */
  patch: (path: string, body: object) => Promise<UnreadResponse>
}

/** A new key, of a new account unless one is given, and a large event of its account and mode. */
export const createReader = async (
  arden: Arden,
  { mode = 'live', ...options }: { mode?: Mode; scopes?: Scope[]; accountId?: string } = {},
): Promise<Reader> => {
  const { accountId } = await createCaller(arden.sql, mode, options.accountId)
  const { id: keyId, key } = await arden.key({ ...options, mode, accountId })
  const data = { title: 'a'.repeat(LARGE_BYTES) }
  await arden.sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    VALUES (${newId('evt')}, ${accountId}, ${mode}, 'article.created', ${JSON.stringify({ data })}, now())`
  const send = (line: string, body = '') =>
    sendUnread(
      arden.url,
      `${line} HTTP/1.1\r\nHost: arden\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  return {
    accountId,
    keyId,
    api: client(arden.url, key),
    request: () => send('GET /api/public/v1/events'),
    patch: (path, body) => send(`PATCH /api/public/v1${path}`, JSON.stringify(body)),
  }
}

const sendUnread = async (url: string, text: string): Promise<UnreadResponse> => {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  sockets.add(socket)
  socket.write(text)
  const head = await new Promise<Buffer>(resolve => socket.once('data', resolve))
  socket.pause()
  return { socket, status: Number(head.toString('latin1').split(' ')[1]) }
}

const sockets = new Set<Socket>()
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})
