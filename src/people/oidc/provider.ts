import { createHmac } from 'node:crypto'
import type { Configuration } from 'openid-client'
import type { OidcConfig } from '../../config/oidc'
import { DomainError } from '../../errors'
import type { Log } from '../../log'

/** Who has signed in at a provider. `email` is verified. */
export type Identity = { issuer: string; subject: string; email: string }

/** An OpenID Connect provider (contract 3.21). */
export type OidcProvider = {
  /**
   * Where to send the browser. `secret` is random, and only this browser has it: state, nonce and PKCE verifier are
   * derived from it, so that none is stored.
   * @throws {DomainError} UNAVAILABLE
   */
  authorizationUrl: (secret: string) => Promise<string>
  /**
   * Verifies with what the provider has sent the browser back: `query` is that of the URL. `requestId` is for the log.
   * @throws {DomainError} UNAUTHORIZED; FORBIDDEN without a verified email address; UNAVAILABLE
   */
  identify: (secret: string, query: string, requestId: string) => Promise<Identity>
}

/** For each request to the provider, in seconds. */
const TIMEOUT_S = 10

export const createOidcProvider = (
  config: OidcConfig,
  redirectUri: string,
  log: Log,
): OidcProvider => {
  const { host } = new URL(config.issuer)
  let discovered: Promise<Configuration> | undefined
  /** Once in a process, and again after a failure. */
  const discover = () => {
    discovered ??= discoverProvider(config).catch(error => {
      discovered = undefined
      log.error({ issuer: config.issuer }, `OpenID Connect provider: ${reasonOf(error)}`)
      throw new DomainError(
        'UNAVAILABLE',
        `${host} cannot be reached to sign in. Try again, or sign in with your password.`,
      )
    })
    return discovered
  }
  const logRefusal = (reason: string, requestId: string) =>
    log.warn({ issuer: config.issuer, request_id: requestId }, `Single sign-on refused: ${reason}`)
  const refused = (error: unknown, requestId: string): DomainError => {
    logRefusal(reasonOf(error), requestId)
    return new DomainError(
      'UNAUTHORIZED',
      `The sign-in with ${host} was refused or has expired. Try again.`,
    )
  }
  return {
    authorizationUrl: async secret => {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
      return buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: derive(secret, 'state'),
        nonce: derive(secret, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(derive(secret, 'verifier')),
        code_challenge_method: 'S256',
      }).href
    },
    identify: async (secret, query, requestId) => {
      const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
      const provider = await discover()
      const claims = await (async () => {
        const tokens = await authorizationCodeGrant(provider, new URL(`?${query}`, redirectUri), {
          expectedState: derive(secret, 'state'),
          expectedNonce: derive(secret, 'nonce'),
          pkceCodeVerifier: derive(secret, 'verifier'),
          idTokenExpected: true,
        })
        const own = tokens.claims()
        if (own === undefined) throw new Error('the response has no ID token')
        if (own.email !== undefined) return own
        // Many providers put the address there only.
        return { ...own, ...(await fetchUserInfo(provider, tokens.access_token, own.sub)) }
      })().catch(error => {
        throw refused(error, requestId)
      })
      const { sub, email, email_verified } = claims
      if (typeof email !== 'string' || email_verified !== true) {
        const sent = typeof email === 'string' ? 'email_verified: true' : 'email'
        logRefusal(`the provider sent no \`${sent}\``, requestId)
        throw new DomainError(
          'FORBIDDEN',
          `${host} has no verified email address of yours. Verify it there, then sign in again.`,
        )
      }
      return { issuer: provider.serverMetadata().issuer, subject: sub, email }
    },
  }
}

/** Reads the metadata of the provider. @throws when it has none, or is another issuer. */
export const discoverProvider = async ({ issuer, clientId, clientSecret }: OidcConfig) => {
  const { allowInsecureRequests, discovery } = await import('openid-client')
  const isLocal = new URL(issuer).protocol === 'http:'
  return discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: TIMEOUT_S,
    ...(isLocal && { execute: [allowInsecureRequests] }),
  }).catch(error => {
    throw explainDiscovery(error, issuer)
  })
}

/** With what was found, where the error of the library only says that it is wrong. */
const explainDiscovery = (error: unknown, issuer: string): unknown => {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Response)
    return new Error(
      `${cause.url} responded with ${cause.status} and ${cause.headers.get('content-type') ?? 'no content type'}`,
    )
  // The library has the metadata in the cause of another issuer, without a type.
  const found = (cause as { body?: { issuer?: unknown } } | null | undefined)?.body?.issuer
  return typeof found === 'string' && found !== issuer
    ? new Error(`its metadata names another issuer, ${found}`)
    : error
}

const derive = (secret: string, use: string): string =>
  createHmac('sha256', secret).update(use).digest('base64url')

/** Whether a provider accepts Arden's client id and secret; `unknown` where its response does not say. */
type ClientCheck = { result: 'accepted' | 'unknown' } | { result: 'refused'; reason: string }

/**
 * Requests tokens for a code that was never issued: a provider verifies the client before the code.
 * @throws the error of a request without a response.
 */
export const checkClient = async (provider: Configuration): Promise<ClientCheck> => {
  const { genericGrantRequest } = await import('openid-client')
  const refusal: unknown = await genericGrantRequest(provider, 'authorization_code', {
    code: 'arden-doctor',
    redirect_uri: 'https://arden.invalid',
  }).then(
    () => undefined,
    error => error,
  )
  const code = oauthError(refusal)?.code
  if (code === 'invalid_client' || code === 'unauthorized_client')
    return { result: 'refused', reason: reasonOf(refusal) }
  // One that issues tokens for any code is a test's.
  if (refusal !== undefined && code === undefined && !hasResponse(refusal)) throw refusal
  return { result: code === 'invalid_grant' ? 'accepted' : 'unknown' }
}

const hasResponse = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && typeof error.status === 'number'

/** Codes and texts of the library and the provider; they have no token. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const oauth = oauthError(error)
  if (oauth !== undefined)
    return `${oauth.code}${oauth.description === undefined ? '' : `, ${oauth.description}`} (${error.message})`
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

/** What a provider responds with: in the body, by the browser, or in `WWW-Authenticate`. Undefined for another error. */
const oauthError = (error: unknown): { code: string; description?: string } | undefined => {
  if (!(error instanceof Error)) return undefined
  const [challenge] = Array.isArray(error.cause) ? error.cause : []
  const response = 'error' in error ? error : challenge?.parameters
  if (typeof response?.error !== 'string') return undefined
  const { error: code, error_description: description } = response
  return { code, ...(typeof description === 'string' && { description }) }
}
