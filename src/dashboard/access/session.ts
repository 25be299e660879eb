import { Elysia } from 'elysia'
import type { ClientAddress } from '../../http/request/client-address'
import type { ClientInfo, Session } from '../../people/sessions'

/** Set by the gate before routing, as the caller is (http/request/caller.ts). */
const sessions = new WeakMap<Request, Session>()

export const setSession = (request: Request, session: Session): void => {
  sessions.set(request, session)
}

/** Gives a group of routes `session`: the signed-in user. */
export const withSession = new Elysia({ name: 'session' }).derive(
  { as: 'scoped' },
  ({ request }) => {
    const session = sessions.get(request)
    if (session === undefined)
      throw new Error('a route that needs a session was reached without one')
    return { session }
  },
)

type RequestContext = {
  request: Request
  server: { requestIP(request: Request): { address: string } | null } | null
}

/** Characters of a User-Agent that are stored. */
const USER_AGENT_MAX = 300

/** The client of a request, for sessions and the audit history. */
export const clientInfoOf = (
  { request, server }: RequestContext,
  clientAddress: ClientAddress,
): ClientInfo => ({
  address: clientAddress(
    server?.requestIP(request)?.address ?? '',
    request.headers.get('x-forwarded-for'),
  ),
  userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_MAX) ?? null,
})
