import { afterAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import net, { type Socket } from 'node:net'
import { strFromU8, unzipSync } from 'fflate'
import { newId } from '../../../src/ids'
import type { Arden } from '../arden'

/** A response of the server as it is, without a check against the document. */
export const fetchApi = (arden: Arden, key: string, path: string, init: RequestInit = {}) =>
  fetch(`${arden.url}/api/public/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}` },
  })

/** The files of a ZIP, by name. */
export const filesOf = async (response: Response): Promise<{ [name: string]: string }> => {
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
}

/** Articles of a project whose texts hardly compress. */
export const addLargeArticles = async (
  arden: Arden,
  { project, count, bytes }: { project: string; count: number; bytes: number },
): Promise<void> => {
  const body = randomBytes(bytes * 0.75).toString('base64')
  const ids = Array.from({ length: count }, () => newId('art'))
  await arden.sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT new.id, p.account_id, p.mode, p.id, 'large', 'large', ${body}, 'DRAFT'
    FROM projects p, unnest(${ids}::text[]) AS new(id) WHERE p.id = ${project}`
}

/** A download of which only the beginning is read. */
export const openDownload = async (arden: Arden, key: string, path: string) => {
  const { hostname, port } = new URL(arden.url)
  const socket = net.connect(Number(port), hostname)
  sockets.add(socket)
  socket.write(
    `GET /api/public/v1${path} HTTP/1.1\r\nHost: arden\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  )
  const chunks: Buffer[] = []
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  // More than headers: the server has read articles.
  const begun = new Promise<void>(resolve =>
    socket.on('data', data => {
      chunks.push(Buffer.from(data))
      if (chunks.reduce((size, { byteLength }) => size + byteLength, 0) > 100_000) resolve()
    }),
  )
  await Promise.race([begun, closed])
  socket.pause()
  return {
    status: Number(chunks[0]?.toString('latin1').split(' ')[1]),
    abort: () => socket.destroy(),
    /** Reads what there is until the server closes the connection. */
    rest: async () => {
      socket.resume()
      await closed
      return Buffer.concat(chunks)
    },
  }
}

/** The body of a response in chunks (RFC 9112, 7.1). */
export const withoutChunks = (response: Buffer): Buffer => {
  const chunks: Buffer[] = []
  let at = response.indexOf('\r\n\r\n') + 4
  for (;;) {
    const begin = response.indexOf('\r\n', at) + 2
    const size = Number.parseInt(response.toString('latin1', at, begin), 16)
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(response.subarray(begin, begin + size))
    at = begin + size + 2
  }
}

const sockets = new Set<Socket>()
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})
