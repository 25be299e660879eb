import type { Role } from '../../../src/people/schema'
import { createSession } from '../../../src/people/sessions'
import { ensurePerson } from '../../../src/people/store'
import type { Arden } from '../arden'
import { type ApiResponse, send } from '../client'

export const COOKIE = '__Host-arden'

/** The token of a new session of `email`, who is made if need be. */
export const sessionToken = (
  { sql, accountId }: Pick<Arden, 'sql' | 'accountId'>,
  role: Role = 'owner',
  email = `${role}@example.com`,
): Promise<string> =>
  sql.begin(async tx => {
    const person = await ensurePerson(tx, accountId, email, role)
    return createSession(tx, person, { address: '127.0.0.1', userAgent: 'tests' }, 'link')
  })

export type Person = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse>

/** Calls as the dashboard's pages do: `path` is below /dashboard/api. Without a token, not signed in. */
export const person =
  (url: string, token?: string): Person =>
  (method, path, body, headers = {}) =>
    send(`${url}/dashboard/api${path}`, {
      method,
      headers: {
        origin: url,
        'x-arden-mode': 'live',
        ...(token !== undefined && { cookie: `${COOKIE}=${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

/** The token that a response sets. */
export const tokenOf = ({ headers }: ApiResponse): string =>
  new RegExp(`${COOKIE}=([^;]*)`).exec(headers.get('set-cookie') ?? '')?.[1] ?? ''
