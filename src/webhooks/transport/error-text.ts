/** What came of an attempt, in words for the person who reads the delivery (contract 5.7). */

/** What an answer's status says, or null for a 2xx: the status line decides. */
export const describeStatus = (status: number, location?: string): string | null => {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400)
    return `redirects are not followed (${status}${location === undefined ? '' : ` to ${location}`})`
  return `the endpoint answered ${status}`
}

/** Why no answer came. Names hosts and addresses, never a URL: those may carry tokens. */
export const describeConnectionError = (error: unknown): string => {
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : error
  if (!(cause instanceof Error)) return 'the connection failed'
  const code = 'code' in cause ? String(cause.code) : ''
  if (code === '') return cause.message
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return 'the answer is not valid HTTP'
  if (/CERT|SIGN|^ERR_(TLS|SSL)|^EPROTO/.test(code)) return `TLS: ${tlsReason(cause)}`
  return `the connection failed (${code})`
}

/** Whether it was this machine that could not connect: out of files, ports or memory. */
export const isLocalResourceError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)$/.test(String(error.code))

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
}

/** OpenSSL's own messages are lines of internals that end in the reason. */
const tlsReason = (error: Error) =>
  'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
