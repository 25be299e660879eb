import type { Mode, Scope } from '../../caller'
import { type Sql, withTimeout } from '../../db/connect'
import { DomainError, invalid } from '../../errors'
import { setCaller } from '../../http/request/caller'
import type { ClientAddress } from '../../http/request/client-address'
import { checkPath, type EarlyContext, hasScope, scopeOf } from '../../http/request/gate'
import type { AllowedMethods } from '../../http/request/paths'
import type { Role } from '../../people/schema'
import { findSession, type Session } from '../../people/sessions'
import { DASHBOARD_API, ME, OPEN, RECORDS } from '../paths'
import { readToken } from './cookie'
import { fromOf, setSession } from './session'

/** Which records a request is about: a key has one mode, a person chooses. */
export const MODE_HEADER = 'X-Arden-Mode'

type SessionGateParts = {
  sql: Sql
  allowedMethods: AllowedMethods
  clientAddress: ClientAddress
  /** The origin that clients reach us by, where it is not the one of the Host header. */
  publicUrl: string | undefined
}

const SCOPES: { [role in Role]: Scope[] } = {
  owner: ['write'],
  member: ['write'],
  viewer: ['read'],
}

/**
 * What every request under /dashboard/api passes: the origin of a change, the session, the path, the role.
 * Bearer keys count nothing here, as sessions do nothing in the public API.
 */
export const createSessionGate = ({
  sql,
  allowedMethods,
  clientAddress,
  publicUrl,
}: SessionGateParts) =>
  async function sessionGate({ request, set, server, path }: EarlyContext) {
    if (!isUnder(DASHBOARD_API, path)) return
    set.headers['cache-control'] = 'no-store'
    set.headers['x-content-type-options'] = 'nosniff'

    const isChange = scopeOf(request.method) === 'write'
    if (isChange) checkOrigin(request, publicUrl)
    if (isUnder(OPEN, path)) return checkPath(allowedMethods, path, { request, set })

    const token = readToken(request)
    const session = token === undefined ? undefined : await withTimeout(findSession(sql, token))
    if (session === undefined)
      throw new DomainError(
        'UNAUTHORIZED',
        'You are not signed in, or your session is over. Sign in.',
      )
    checkPath(allowedMethods, path, { request, set })
    const scopes = SCOPES[session.role]
    if (!isUnder(ME, path) && !hasScope(scopes, request.method)) throw mayOnlyRead(session)

    setSession(request, session)
    setCaller(request, {
      accountId: session.accountId,
      mode: modeOf(request, path),
      actor: { type: 'user', id: session.personId, name: session.email },
      scopes,
      address: fromOf({ request, server }, clientAddress).address,
    })
  }

const isUnder = (base: string, path: string) => path === base || path.startsWith(`${base}/`)

/**
 * A page of another site can make a browser send a request with our cookie, but not without the name of
 * that site. @throws {DomainError} FORBIDDEN
 */
const checkOrigin = (request: Request, publicUrl: string | undefined) => {
  const origin = request.headers.get('origin') ?? ''
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return
  const host = request.headers.get('host')
  if (URL.canParse(origin) && new URL(origin).host === host) return
  throw new DomainError(
    'FORBIDDEN',
    `Changes are taken from the dashboard's own pages, and this one came from ${origin || 'nowhere'}. If that is the dashboard, have ARDEN_PUBLIC_URL set to the URL it is reached by.`,
  )
}

/** Records need a mode that was chosen; what belongs to the account is the same in both. */
const modeOf = (request: Request, path: string): Mode => {
  const mode =
    request.headers.get(MODE_HEADER) ?? new URL(request.url).searchParams.get('mode') ?? undefined
  if (mode === 'live' || mode === 'test') return mode
  if (mode === undefined && !isUnder(RECORDS, path)) return 'live'
  throw invalid(MODE_HEADER, 'must be live or test')
}

const mayOnlyRead = ({ email, role }: Session) =>
  new DomainError(
    'FORBIDDEN',
    `${email} is a ${role} of this account, who may read and change nothing. An owner can change that in the settings.`,
  )
