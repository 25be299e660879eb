import { SESSION_DAYS } from '../../people/sessions'

/**
 * The session cookie. With the prefix `__Host-`, browsers refuse it without Secure and from another host of
 * the domain. All but Safari accept it from http://localhost.
 */
const NAME = '__Host-arden'
const DAY_S = 86_400

export const readToken = (request: Request): string | undefined =>
  new Bun.CookieMap(request.headers.get('cookie') ?? '').get(NAME) ?? undefined

export const setToken = (token: string): string => serialize(token, SESSION_DAYS * DAY_S)

export const clearToken = (): string => serialize('', 0)

const serialize = (value: string, maxAge: number) =>
  new Bun.Cookie(NAME, value, {
    path: '/',
    secure: true,
    httpOnly: true,
    sameSite: 'lax',
    maxAge,
  }).serialize()
