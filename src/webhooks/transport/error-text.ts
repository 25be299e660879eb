/** `error` of an attempt: contract 5.7. */

/** Characters of an error. Receivers choose parts of it, such as the names in a certificate. */
const ERROR_MAX = 1_000
/** Characters of a `Location` in an error. */
const LOCATION_MAX = 200

/**
 * The error as it is stored. Attempts keep their errors, 100 of which are in a page: without control characters, which
 * JSON escapes in six bytes, and without half a character, which PostgreSQL refuses.
 */
export const toErrorText = (error: string): string =>
  cut(error, ERROR_MAX)
    .replace(/\p{Cc}/gu, '\uFFFD')
    .toWellFormed()

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** Those with which a client is to send the request elsewhere (RFC 9110, 15.4). */
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The error for a response with this status, or null for a 2xx (contract 5.5). */
export const describeStatus = (status: number, location?: string): string | null => {
  if (status >= 200 && status < 300) return null
  if (REDIRECTS.has(status))
    return `redirects are not followed (${status}${location === undefined ? '' : ` to ${cut(location, LOCATION_MAX)}`})`
  return `the endpoint responded with ${status}`
}

/** The error for a request without a response. Names hosts and addresses, never a URL, which can contain tokens. */
export const describeConnectionError = (error: unknown): string => {
  const cause =
    error instanceof Error && /^(AbortError|HandshakeError)$/.test(error.name) ? error.cause : error
  if (!(cause instanceof Error)) return 'the connection failed'
  const code = 'code' in cause ? String(cause.code) : ''
  if (code === '') return cause.message
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (/CERT|SIGN|^ERR_(TLS|SSL)|^EPROTO/.test(code)) return `TLS: ${tlsReason(cause)}`
  return `the connection failed (${code})`
}

/** Whether this machine is out of files, ports or memory: not an attempt (contract 5.4). */
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
}

/** The reason is the last part of an OpenSSL message, after lines of internals. */
const tlsReason = (error: Error) => {
  const reason =
    'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
  // The first bytes of the response have no version of TLS: an HTTP server, or another one, speaks in clear.
  return reason === 'WRONG_VERSION_NUMBER' ? 'the endpoint does not speak TLS on this port' : reason
}
