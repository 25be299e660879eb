import type { Context, PreContext } from 'elysia'
import type { Scope } from '../../caller'
import { DomainError } from '../../errors'
import type { Meter } from '../../metrics/meter'
import type { Admission, Admit, Allowance } from './admission'
import { setCaller } from './caller'
import type { ClientAddress } from './client-address'
import type { AllowedMethods } from './paths'

export const BASE_PATH = '/api/public/v1'
/** Seconds of the sliding window (contract 3.8). */
const WINDOW_S = 3600

/**
 * Elysia has parsed the path by now; its type for early hooks does not say so. To be taken apart by who gets it:
 * Elysia reads in the source of a hook what it uses, and one that hands its context on uses everything. Each
 * request then had its headers copied and its cookies parsed.
 */
export type EarlyContext = PreContext & { path: string }

export const asEarlyHook = (hook: (context: EarlyContext) => Promise<void>) =>
  hook as (context: PreContext) => Promise<void>

type GateParts = {
  admit: Admit
  allowedMethods: AllowedMethods
  clientAddress: ClientAddress
  /** Waits before a 401 to an address that guesses. */
  throttleAuth: (address: string) => Promise<void>
  meter: Meter
}

/**
 * What every request under the base path passes before its body is touched, in the contract's order:
 * 401, 429, 404/405 of the path, 403. It runs before routing, because Elysia parses and validates
 * bodies before any later hook and would answer 400 or 422 to a caller it does not know.
 */
export const createGate = ({
  admit,
  allowedMethods,
  clientAddress,
  throttleAuth,
  meter,
}: GateParts) =>
  async function gate({ request, set, server, path }: EarlyContext) {
    set.headers['x-request-id'] = readRequestId(request)
    if (path !== BASE_PATH && !path.startsWith(`${BASE_PATH}/`)) return

    // Looked up where it is needed: few requests do, and it takes a call of the system.
    const address = () =>
      clientAddress(
        server?.requestIP(request)?.address ?? '',
        request.headers.get('x-forwarded-for'),
      )
    const admission = await authenticate(request, admit)
    meter.recordAdmission(admission.outcome)
    if (!('caller' in admission)) {
      await throttleAuth(address())
      set.headers['www-authenticate'] = 'Bearer'
      throw new DomainError('UNAUTHORIZED', REFUSAL_MESSAGES[admission.outcome])
    }

    const { caller, allowance } = admission
    setCaller(request, {
      ...caller,
      get address() {
        return address()
      },
    })
    setRateLimitHeaders(allowance, set)
    if (admission.outcome === 'limited') throw tooManyRequests(allowance, set)

    checkPath(allowedMethods, path, { request, set })
    if (!hasScope(caller.scopes, request.method))
      throw new DomainError(
        'FORBIDDEN',
        `This call needs the scope "${scopeOf(request.method)}"; the key ${caller.actor.id} has only "${caller.scopes.join('", "')}". Use a key that has it.`,
      )
  }

/** @throws {DomainError} NOT_FOUND for a path that no route has, METHOD_NOT_ALLOWED for a wrong method. */
export const checkPath = (
  allowedMethods: AllowedMethods,
  path: string,
  { request, set }: Pick<PreContext, 'request' | 'set'>,
): void => {
  const methods = isDecodable(path) ? allowedMethods(path) : []
  if (methods.length === 0)
    throw new DomainError(
      'NOT_FOUND',
      `There is nothing at ${path}. The API is described at /docs.`,
    )
  if (!methods.includes(request.method)) {
    set.headers.allow = methods.join(', ')
    throw new DomainError(
      'METHOD_NOT_ALLOWED',
      `${path} takes ${methods.join(', ')}, not ${request.method}.`,
    )
  }
}

/** `/articles/%ZZ` is no path; the router would hand null to its route. */
const isDecodable = (path: string): boolean => {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The scope a method needs, on all resources (contract 3.2). */
export const scopeOf = (method: string): Scope =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write'

/** `write` allows everything that `read` allows (contract 3.2). */
export const hasScope = (scopes: Scope[], method: string): boolean =>
  scopes.includes('write') || scopes.includes(scopeOf(method))

type RefusalReason = Exclude<Admission['outcome'], 'accepted' | 'limited'> | 'missing'

const REFUSAL_MESSAGES: { [outcome in RefusalReason]: string } = {
  missing: 'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
  malformed:
    'The Authorization header holds no API key. Send `Authorization: Bearer <API_KEY>`, with a key that begins with ar_live_ or ar_test_ and is complete.',
  unknown: 'This API key is unknown. Check that it was copied whole and was not regenerated since.',
  revoked: 'This API key was revoked and stays so. Create another one.',
  expired: 'This API key has expired. Create another one.',
}

/** The key that a request carries; undefined for none that could be one. */
export const readKeyValue = (request: Request): string | undefined =>
  readBearerToken(request.headers.get('authorization') ?? '')

const readBearerToken = (header: string) => /^bearer +(\S+)$/i.exec(header)?.[1]

const authenticate = async (
  request: Request,
  admit: Admit,
): Promise<Extract<Admission, { caller: unknown }> | { outcome: RefusalReason }> => {
  const header = request.headers.get('authorization')
  if (header === null) return { outcome: 'missing' }
  const value = readBearerToken(header)
  return value === undefined ? { outcome: 'malformed' } : await admit(value)
}

const setRateLimitHeaders = ({ limit, left, resetSeconds }: Allowance, set: Context['set']) => {
  set.headers['ratelimit-policy'] = `"default";q=${limit};w=${WINDOW_S}`
  set.headers.ratelimit = `"default";r=${left};t=${resetSeconds}`
}

const tooManyRequests = ({ limit, resetSeconds }: Allowance, set: Context['set']) => {
  set.headers['retry-after'] = String(resetSeconds)
  return new DomainError(
    'TOO_MANY_REQUESTS',
    `Rate limit of ${limit} requests per hour exceeded. Try again in ${resetSeconds} seconds.`,
  )
}

/** A caller's own id is kept where it can be shown safely (contract 1.9). */
const readRequestId = (request: Request): string => {
  const own = request.headers.get('x-request-id')
  return own !== null && /^[A-Za-z0-9_-]{1,64}$/.test(own) ? own : crypto.randomUUID()
}
