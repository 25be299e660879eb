import { SESSION_DAYS } from '../../people/sessions'

/**
 * The session cookie. With the prefix `__Host-`, browsers refuse it without Secure and from another host of
 * the domain. All but Safari accept it from http://localhost.
 */
const NAME = '__Host-arden'
/** Of a sign-in with a provider that has begun in this browser. */
const OIDC_NAME = '__Host-arden-oidc'
const OIDC_S = 600
const DAY_S = 86_400

export const readToken = (request: Request): string | undefined => read(request, NAME)

export const setToken = (token: string): string => serialize(NAME, token, SESSION_DAYS * DAY_S)

export const clearToken = (): string => serialize(NAME, '', 0)

export const readOidcSecret = (request: Request): string | undefined => read(request, OIDC_NAME)

export const setOidcSecret = (secret: string): string => serialize(OIDC_NAME, secret, OIDC_S)

export const clearOidcSecret = (): string => serialize(OIDC_NAME, '', 0)

const read = (request: Request, name: string): string | undefined =>
  new Bun.CookieMap(request.headers.get('cookie') ?? '').get(name) ?? undefined

const serialize = (name: string, value: string, maxAge: number) =>
  new Bun.Cookie(name, value, {
    path: '/',
    secure: true,
    httpOnly: true,
    sameSite: 'lax',
    maxAge,
  }).serialize()
