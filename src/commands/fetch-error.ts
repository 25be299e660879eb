import { isUntrusted, TRUST_AUTHORITY } from '../private-authority'
import { describeConnectionError } from '../webhooks/transport/error-text'

/**
 * Why `fetch` got no response, in the words of a delivery (contract 5.7). Bun's own messages are for programmers:
 * "ECONNREFUSED: Unable to connect. Is the computer able to access the url?"
 */
export const describeFetchError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'timed out'
  // An aborted request is a DOMException, whose code is a number.
  if (!('code' in error) || typeof error.code !== 'string') return error.message
  const text = BY_CODE[error.code] ?? describeConnectionError(error)
  return isUntrusted(error) ? `${text}. ${TRUST_AUTHORITY.replace(/\.$/, '')}` : text
}

const BY_CODE: Record<string, string> = {
  ENOTFOUND: 'the name does not resolve',
  EPROTO: 'TLS: the handshake failed; the server may not speak TLS on this port',
  Malformed_HTTP_Response: 'the response is not valid HTTP',
}
