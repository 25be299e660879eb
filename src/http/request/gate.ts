import type { PreContext } from 'elysia'
import type { Scope } from '../../caller'
import type { Tx } from '../../db/connect'
import { DomainError } from '../../errors'
import type { Meter } from '../../metrics/meter'
import { type Admission, type Admit, RATE_LIMIT_WINDOW_S } from './admission'
import { setCaller } from './caller'
import type { ClientAddress } from './client-address'
import { isDecodable } from './decodable'
import type { AllowedMethods } from './paths'
import { applyRateLimit } from './rate-limit'

/** The prefix of every path of the API (contract 1.1, 10.1). */
export const BASE_PATH = '/api/public/v1'
/** Whether requests to `path` need a key. */
export const isOfApi = (path: string): boolean =>
  path === BASE_PATH || path.startsWith(`${BASE_PATH}/`)

const WINDOW = { seconds: RATE_LIMIT_WINDOW_S, name: 'hour' }

/**
 * Elysia has parsed the path by now; its type for early hooks omits it. A hook must destructure this
 * parameter: Elysia scans the hook's source, and copies all headers and cookies for one that passes its
 * context on.
 */
export type EarlyContext = PreContext & { path: string }

export const asEarlyHook = (hook: (context: EarlyContext) => Promise<void>) =>
  hook as (context: PreContext) => Promise<void>

type KeyStatus = 'active' | 'revoked' | 'expired'

type GateParts = {
  admit: Admit
  /** The status of the key with this value now; undefined for an unknown value, such as one that was replaced. */
  findKeyStatus: (tx: Tx, value: string) => Promise<KeyStatus | undefined>
  allowedMethods: AllowedMethods
  clientAddress: ClientAddress
  /** Delays a 401 to an address with many failed authentications. */
  throttleAuth: (address: string) => Promise<void>
  meter: Meter
}

/**
 * Checks every request under the base path before its body is read: 401, 429, 404 and 405, 403 (contract
 * 2.3). It runs before routing, because Elysia parses and validates bodies before any later hook.
 */
export const createGate = ({
  admit,
  findKeyStatus,
  allowedMethods,
  clientAddress,
  throttleAuth,
  meter,
}: GateParts) =>
  async function gate({ request, set, server, path }: EarlyContext) {
    set.headers['x-request-id'] = readRequestId(request)
    if (!isOfApi(path)) return

    // Lazy: few requests need it, and `requestIP` is a system call.
    const address = () =>
      clientAddress(
        server?.requestIP(request)?.address ?? '',
        request.headers.get('x-forwarded-for'),
      )
    const admission = await authenticate(request, admit)
    meter.recordAdmission(admission.outcome)
    if (!('caller' in admission)) {
      await throttleAuth(address())
      throw unauthorized(set, admission.outcome)
    }

    const { caller, allowance } = admission
    const confirm = async (tx: Tx) => {
      const status = (await findKeyStatus(tx, readKeyValue(request) ?? '')) ?? 'unknown'
      if (status !== 'active') throw unauthorized(set, status)
    }
    const withAddress = {
      ...caller,
      get address() {
        return address()
      },
    }
    setCaller(request, withAddress, confirm)
    applyRateLimit(allowance, admission.outcome === 'accepted', WINDOW, set)
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
    throw new DomainError('NOT_FOUND', `There is no route ${path}. See /docs for the API.`)
  if (!methods.includes(request.method)) {
    set.headers.allow = methods.join(', ')
    throw new DomainError(
      'METHOD_NOT_ALLOWED',
      `${path} does not support ${request.method}. Use ${methods.join(', ')}.`,
    )
  }
}

/** The scope that a method requires, on all resources (contract 3.2). */
export const scopeOf = (method: string): Scope =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write'

/** `write` permits everything that `read` permits (contract 3.2). */
const hasScope = (scopes: Scope[], method: string): boolean =>
  scopes.includes('write') || scopes.includes(scopeOf(method))

type RefusalReason = Exclude<Admission['outcome'], 'accepted' | 'limited'> | 'missing'

const REFUSAL_MESSAGES: { [outcome in RefusalReason]: string } = {
  missing: 'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
  malformed:
    'The Authorization header has no valid API key. Send `Authorization: Bearer <API_KEY>` with the complete key, which begins with ar_live_ or ar_test_.',
  unknown:
    'This API key is unknown. Check that it was copied completely and has not been regenerated.',
  revoked: 'This API key was revoked. Create a new key.',
  expired: 'This API key has expired. Create a new key.',
}

const unauthorized = (set: PreContext['set'], reason: RefusalReason) => {
  set.headers['www-authenticate'] = 'Bearer'
  return new DomainError('UNAUTHORIZED', REFUSAL_MESSAGES[reason])
}

/** The API key of a request; undefined without a bearer token (contract 3.1). */
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

/** The caller's own id where it is safe to show (contract 1.9). */
const readRequestId = (request: Request): string => {
  const own = request.headers.get('x-request-id')
  return own !== null && /^[A-Za-z0-9_-]{1,64}$/.test(own) ? own : crypto.randomUUID()
}
