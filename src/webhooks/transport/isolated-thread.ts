/** The code of one thread of isolated-threads.ts: sends requests, and returns their outcomes by message. */
import { parentPort, workerData } from 'node:worker_threads'
import { createConnections } from './connections'
import { createDeadlines } from './deadlines'
import { describeConnectionError, isLocalResourceError } from './error-text'
import { sendRequest } from './exchange'
import type { FromThread, ThreadResult, ThreadSettings, ToThread } from './isolated-threads'
import { HandshakeError, ISOLATED_HANDSHAKE_MAX_BYTES } from './tls-socket'

const { timeoutMs, ca }: ThreadSettings = workerData
const connections = createConnections({ ca, handshakeMaxBytes: ISOLATED_HANDSHAKE_MAX_BYTES })
// The deadline of the caller began earlier and comes by message; this one is for a message that is late.
const startDeadline = createDeadlines(timeoutMs)
const running = new Map<number, AbortController>()

const send = async (
  message: Exclude<ToThread, { end: string }>,
  end: AbortSignal,
): Promise<ThreadResult | { localError: string }> => {
  const deadline = startDeadline(end)
  try {
    const request = { ...message, url: new URL(message.url) }
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

const receive = async (message: ToThread) => {
  if ('end' in message) return running.get(message.id)?.abort(new Error(message.end))
  const end = new AbortController()
  running.set(message.id, end)
  const result = await send(message, end.signal)
  running.delete(message.id)
  const response: FromThread = { id: message.id, ...result }
  parentPort?.postMessage(response)
}

parentPort?.on('message', message => void receive(message))
