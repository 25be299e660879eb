import type { ClaimResult } from '../../dashboard/cli-sign-in/routes'
import { OPEN } from '../../dashboard/paths'
import { EXIT, StartError } from '../../errors'
import { withoutCredentials } from '../api/connection'
import { describeFetchError } from '../fetch-error'

/** Longest wait for one response, in ms. */
const TIMEOUT_MS = 10_000

/** The key that a user approved, or null while none has. `retryAfterMs`: the server is busy, or away for a moment. */
export type Claim = ClaimResult | { retryAfterMs: number }

/**
 * Fetches the key of a sign-in, once (contract 3.23).
 * @throws {StartError} when the server refuses, or is not Arden. Where it cannot be reached, `unreachable`.
 */
export const claimKey = async (url: string, secret: string): Promise<Claim> => {
  const response = await post(url, secret)
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok && isResult(body)) return body.data
  if (response.status === 429 || response.status >= 500)
    return { retryAfterMs: Number(response.headers.get('retry-after') ?? 1) * 1000 }
  if (isError(body)) throw new StartError(body.message, { exitCode: EXIT.refused })
  throw new StartError(
    `The server is not Arden (status ${response.status}). Check --url or ARDEN_URL.`,
  )
}

const post = async (url: string, secret: string): Promise<Response> => {
  try {
    return await fetch(`${url}${OPEN}/cli-sign-in`, {
      method: 'POST',
      redirect: 'manual',
      // The dashboard accepts changes with its own origin only, which protects users of a browser.
      headers: { 'content-type': 'application/json', origin: new URL(url).origin },
      body: JSON.stringify({ secret }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    throw new StartError(
      `The server at ${withoutCredentials(url)} cannot be reached: ${describeFetchError(error)}. Check --url or ARDEN_URL.`,
      { exitCode: EXIT.unreachable },
    )
  }
}

const isResult = (body: unknown): body is { data: ClaimResult } =>
  typeof body === 'object' &&
  body !== null &&
  'data' in body &&
  typeof body.data === 'object' &&
  body.data !== null &&
  'key' in body.data

const isError = (body: unknown): body is { message: string } =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
