/** The code of one thread of isolated-threads.ts: resolves names and sends requests. Returns their results by message. */
import { parentPort, workerData } from 'node:worker_threads'
import { createConnections } from './connections'
import { createDeadlines } from './deadlines'
import { ADDRESSES_MAX, createLookup, setNameServers } from './dns'
import { describeConnectionError, isLocalResourceError } from './error-text'
import { sendRequest } from './exchange'
import { createHandshakeTurns } from './handshake-turns'
import type { FromThread, ThreadResult, ThreadSettings, ToThread } from './isolated-threads'
import { createLookupTurns } from './lookup-turns'
import { HandshakeError, ISOLATED_HANDSHAKE_MAX_BYTES } from './tls-socket'

/** Idle connections of one thread. */
const IDLE_MAX = 100

const { timeoutMs, ca, servers }: ThreadSettings = workerData
if (servers !== undefined) setNameServers(servers)
const connections = createConnections({
  ca,
  handshakeMaxBytes: ISOLATED_HANDSHAKE_MAX_BYTES,
  idleMax: IDLE_MAX,
})
// The deadline of the caller began earlier and comes by message; this one is for a message that is late.
const startDeadline = createDeadlines(timeoutMs)
// Accounts share a thread when there are many: one must not wait for all lookups and handshakes of another.
const lookupOf = createLookupTurns(createLookup())
const readInTurn = createHandshakeTurns()
const running = new Map<number, AbortController>()

const send = async (
  message: Extract<ToThread, { url: string }>,
  end: AbortSignal,
): Promise<ThreadResult | { localError: string }> => {
  const deadline = startDeadline(end)
  try {
    const inTurn = (read: (isPermitted: boolean) => void) =>
      readInTurn(message.account, () => read(true))
    const request = { ...message, url: new URL(message.url), inTurn }
    const outcome = await sendRequest(request, connections, deadline)
    return { outcome, isHandshakeError: false }
  } catch (error) {
    if (isLocalResourceError(error)) return { localError: String(error) }
    const outcome = {
      httpStatus: null,
      responseBody: null,
      error: describeConnectionError(error),
    }
    return { outcome, isHandshakeError: error instanceof HandshakeError }
  } finally {
    deadline.dispose()
  }
}

const resolve = (account: string, name: string) =>
  lookupOf(account)(name).then(
    addresses => ({ addresses: addresses.slice(0, ADDRESSES_MAX + 1) }),
    error => ({ code: String(error.code) }),
  )

const receive = async (message: ToThread) => {
  const { id } = message
  const post = (response: FromThread) => parentPort?.postMessage(response)
  if ('end' in message) return running.get(id)?.abort(new Error(message.end))
  if ('name' in message) return post({ id, ...(await resolve(message.account, message.name)) })
  const end = new AbortController()
  running.set(id, end)
  const result = await send(message, end.signal)
  running.delete(id)
  post({ id, ...result })
}

parentPort?.on('message', message => void receive(message))
