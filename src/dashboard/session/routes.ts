import { Elysia, t } from 'elysia'
import pkg from '../../../package.json'
import { recordAudit } from '../../accounts/audit'
import { getAccount } from '../../accounts/store'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { EmptyBody, RequestBody } from '../../http/schema'
import type { Role } from '../../people/schema'
import { endSession, endSessions, listSessions } from '../../people/sessions'
import { auditContextOfSession, changePassword } from '../../people/sign-in'
import { resetSignInAttempts } from '../../people/sign-in-throttle'
import { clearToken } from '../access/cookie'
import { fromOf, withSession } from '../access/session'
import { ME } from '../paths'
import { limitTries } from './throttle'

/** Who is signed in, and what the pages need to know from the start. */
export type Me = {
  person: { id: string; email: string; role: Role }
  account: { id: string; name: string }
  version: string
  /** Null where it is not known. */
  temporal_ui_url: string | null
}

type Deps = { sql: Sql; clientAddress: ClientAddress; temporalUiUrl: string | undefined }

/** What is one's own: any role may. */
export const meRoutes = ({ sql, clientAddress, temporalUiUrl }: Deps) =>
  new Elysia({ prefix: ME, normalize: false })
    .use(withSession)
    .get('', async ({ session }): Promise<{ data: Me }> => {
      const { id, name } = await getAccount(sql, session.accountId)
      return {
        data: {
          person: { id: session.personId, email: session.email, role: session.role },
          account: { id, name },
          version: pkg.version,
          temporal_ui_url: temporalUiUrl ?? null,
        },
      }
    })
    .get('/sessions', async ({ session }) => ({ data: await listSessions(sql, session) }))
    .post(
      '/sign-out',
      async ({ session, request, server, set }) => {
        const by = auditContextOfSession(session, fromOf({ request, server }, clientAddress))
        await sql.begin(async tx => {
          await endSession(tx, session.personId, session.id)
          await recordAudit(tx, by, 'person.signed_out', session.personId)
        })
        set.headers['set-cookie'] = clearToken()
        return { data: {} }
      },
      { body: EmptyBody },
    )
    .post(
      '/sign-out-everywhere',
      async ({ session, request, server, set }) => {
        const by = auditContextOfSession(session, fromOf({ request, server }, clientAddress))
        await sql.begin(async tx => {
          await endSessions(tx, session.personId)
          await recordAudit(tx, by, 'person.signed_out_everywhere', session.personId)
        })
        set.headers['set-cookie'] = clearToken()
        return { data: {} }
      },
      { body: EmptyBody },
    )
    .delete(
      '/sessions/:id',
      async ({ session, params }) => {
        await sql.begin(tx => endSession(tx, session.personId, params.id))
        return { data: { id: params.id, deleted: true } }
      },
      { body: EmptyBody },
    )
    .post(
      '/password',
      async ({ session, request, server, body, set }) => {
        const from = fromOf({ request, server }, clientAddress)
        // Whoever finds a browser open must not guess without end either.
        await limitTries(sql, session.email, from.address, set)
        await changePassword(sql, session, body, from)
        await resetSignInAttempts(sql, session.email, from.address)
        return { data: {} }
      },
      { body: RequestBody({ current: t.String(), password: t.String() }) },
    )
