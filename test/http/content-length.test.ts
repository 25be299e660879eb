import { expect, test } from 'bun:test'
import net from 'node:net'
import { useArden } from '../support/arden'
import { until } from '../support/until'

const arden = await useArden({ serve: true })
const { host, hostname, port } = new URL(arden.url)
const KIB = 1024

/**
 * Sends a body of `bytes` with the header Content-Length twice, with the same value, which Bun joins to one. Returns the
 * status; undefined where the server closed the connection before it had read all, and the response was lost by that.
 */
const sendTwice = async (path: string, bytes: number, key?: string) => {
  const socket = net.connect(Number(port), hostname)
  let response = ''
  let isClosed = false
  socket.on('close', () => {
    isClosed = true
  })
  socket.on('data', data => {
    response += data.toString('latin1')
  })
  socket.on('error', () => {})
  const body = `{"name":"${'a'.repeat(bytes - 11)}"}`
  const length = `Content-Length: ${bytes}\r\n`
  const caller = key === undefined ? `Origin: ${arden.url}` : `Authorization: Bearer ${key}`
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${caller}\r\nContent-Type: application/json\r\n${length}${length}\r\n${body}`,
  )
  const status = () => /^HTTP\/1\.1 (\d+)/.exec(response)?.[1]
  await until('there is a response, or none will come', () => isClosed || status() !== undefined)
  socket.destroy()
  return status() === undefined ? undefined : Number(status())
}
/** The status of the first response that is not lost. */
const statusOf = (...request: Parameters<typeof sendTwice>) =>
  until('a response is not lost', () => sendTwice(...request))

test('a body beyond the limit is refused, also when its length is sent twice', async () => {
  const { key } = await arden.key()
  const path = '/api/public/v1/projects'
  expect(await statusOf(path, 4 * KIB, key)).toBe(422) // The name is too long; the body was read.
  expect(await statusOf(path, 4 * KIB * KIB, key)).toBe(413)
})

test('the same holds without a key, where the limit is 32 KiB', async () => {
  expect(await statusOf('/dashboard/api/open/sign-in', 64 * KIB)).toBe(413)
})

test('a length that is sent twice does not end the limit of the account', async () => {
  const { key } = await arden.key()
  const sent = Array.from({ length: 40 }, () =>
    sendTwice('/api/public/v1/projects', 1000 * KIB, key),
  )
  expect(await Promise.all(sent)).toContain(422)
  expect(await statusOf('/api/public/v1/projects', 4 * KIB * KIB, key)).toBe(413)
})
