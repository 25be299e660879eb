import type { Caller, Mode, Scope } from '../../caller'
import { type Sql, type Tx, withTimeout } from '../../db/connect'
import { DomainError, invalid } from '../../errors'
import { setCaller } from '../../http/request/caller'
import type { ClientAddress } from '../../http/request/client-address'
import { checkPath, type EarlyContext, scopeOf } from '../../http/request/gate'
import type { AllowedMethods } from '../../http/request/paths'
import { applyRateLimit } from '../../http/request/rate-limit'
import type { RequiredSignIn, Role } from '../../people/schema'
import { admitSession, REQUEST_WINDOW_S, type Session } from '../../people/sessions'
import { lockRole } from '../../people/store'
import { DASHBOARD, DASHBOARD_API, isUnder, ME, OPEN, RECORDS } from '../paths'
import { readToken } from './cookie'
import { hasRole, type RequiredRole } from './roles'
import { clientInfoOf, setSession } from './session'

/** The mode of a request: a key has one, a user chooses with each request. */
const MODE_HEADER = 'X-Arden-Mode'

/** Contract 3.18. */
const WINDOW = { seconds: REQUEST_WINDOW_S, name: 'minute' }

type SessionGateDeps = {
  sql: Sql
  allowedMethods: AllowedMethods
  requiredRole: RequiredRole
  clientAddress: ClientAddress
  /** The public URL of the deployment: the only origin that may make changes, where it is set. */
  publicUrl: string | undefined
}

const SCOPES: { [role in Role]: Scope[] } = {
  owner: ['write'],
  member: ['write'],
  viewer: ['read'],
}

/**
 * Every request under /dashboard/api passes it. Checks, in this order, the origin of a change, the session (401), the
 * rate limit (429), the path (404, 405), how the session began (403) and the role (403). API keys are not accepted here, nor sessions in the
 * public API.
 */
export const createSessionGate = ({
  sql,
  allowedMethods,
  requiredRole,
  clientAddress,
  publicUrl,
}: SessionGateDeps) =>
  async function sessionGate({ request, set, server, path }: EarlyContext) {
    if (!isUnder(DASHBOARD_API, path)) return
    set.headers['cache-control'] = 'no-store'

    const isChange = scopeOf(request.method) === 'write'
    if (isChange) checkOrigin(request, publicUrl)
    if (isUnder(OPEN, path)) return checkPath(allowedMethods, path, { request, set })

    const token = readToken(request)
    const admission = token === undefined ? undefined : await withTimeout(admitSession(sql, token))
    if (admission === undefined) throw notSignedIn()
    const { session, allowance, isAccepted } = admission
    applyRateLimit(allowance, isAccepted, WINDOW, set)
    checkPath(allowedMethods, path, { request, set })
    if (
      session.neededSignIn !== null &&
      !SETUP[session.neededSignIn].includes(`${request.method} ${path}`)
    )
      throw signInNeeded(session.neededSignIn)
    setSession(request, session)
    const required = requiredRole(request.method, path)
    const caller: Caller = {
      accountId: session.accountId,
      mode: modeOf(request, path),
      actor: { type: 'user', id: session.personId, name: session.email },
      scopes: SCOPES[session.role],
      address: clientInfoOf({ request, server }, clientAddress).address,
    }
    setCaller(request, caller, tx => confirmRole(tx, session, required))
    if (!hasRole(session.role, required)) throw forbidden(session, required)
  }

/** What a session may do until its user has signed in as the account requires (contract 3.24). */
const SETUP: { [needed in RequiredSignIn]: string[] } = {
  oidc: [`GET ${ME}`, `POST ${ME}/sign-out`],
  passkey: [
    `GET ${ME}`,
    `POST ${ME}/sign-out`,
    `GET ${ME}/passkeys`,
    `POST ${ME}/passkeys`,
    `POST ${ME}/passkeys/options`,
  ],
}

const signInNeeded = (needed: RequiredSignIn) =>
  new DomainError(
    'FORBIDDEN',
    needed === 'oidc'
      ? 'Your account requires single sign-on. Sign out, and continue with single sign-on.'
      : 'Your account requires a passkey. Add one, or sign in with yours.',
  )

/** Until the change is committed, the role does not change. @throws {DomainError} UNAUTHORIZED, FORBIDDEN */
const confirmRole = async (tx: Tx, session: Session, required: Role) => {
  const role = await lockRole(tx, session.personId)
  if (role === undefined) throw notSignedIn()
  if (!hasRole(role, required)) throw forbidden({ ...session, role }, required)
}

const notSignedIn = () =>
  new DomainError('UNAUTHORIZED', 'You are not signed in, or your session has ended. Sign in.')

/**
 * A page of another site can make a browser send our cookie, but not hide its own origin. Without a public URL
 * the host must be that of the request; its scheme is unknown behind a proxy (contract 3.16).
 * @throws {DomainError} FORBIDDEN
 */
const checkOrigin = (request: Request, publicUrl: string | undefined) => {
  const origin = request.headers.get('origin') ?? ''
  if (publicUrl === undefined) {
    if (URL.canParse(origin) && new URL(origin).host === request.headers.get('host')) return
  } else if (origin === new URL(publicUrl).origin) return
  throw new DomainError(
    'FORBIDDEN',
    `Only the pages of the dashboard may make changes, and the origin of this request is ${origin || 'missing'}. ${
      publicUrl === undefined
        ? "If that is the dashboard's origin, set ARDEN_PUBLIC_URL to its URL."
        : `Open the dashboard at ${new URL(DASHBOARD, publicUrl)}, or correct ARDEN_PUBLIC_URL.`
    }`,
  )
}

/** Required for records. What belongs to the account is the same in both modes. */
const modeOf = (request: Request, path: string): Mode => {
  const mode =
    request.headers.get(MODE_HEADER) ?? new URL(request.url).searchParams.get('mode') ?? undefined
  if (mode === 'live' || mode === 'test') return mode
  if (mode === undefined && !isUnder(RECORDS, path)) return 'live'
  throw invalid(MODE_HEADER, 'must be live or test')
}

const forbidden = ({ email, role }: Session, required: Role) =>
  new DomainError(
    'FORBIDDEN',
    required === 'owner'
      ? `Only owners can do this, and ${email} is a ${role} of this account. Ask an owner.`
      : `Viewers cannot make changes, and ${email} is a ${role} of this account. An owner can change the role in the settings.`,
  )
