import { Elysia } from 'elysia'
import pkg from '../../../package.json'
import { recordAudit } from '../../accounts/audit'
import { getAccount } from '../../accounts/store'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { EmptyBody, RequestBody } from '../../http/schema'
import type { PublishChange } from '../../notifications/changes'
import { readRequiredSignIn } from '../../people/required-sign-in'
import type { RequiredSignIn, Role } from '../../people/schema'
import { endSession, endSessions, listSessions, type Session } from '../../people/sessions'
import { auditContextOfSession, changePassword } from '../../people/sign-in'
import type { LimitAttempts } from '../../people/sign-in-throttle'
import { type Provider, readProviders } from '../../temporal/heartbeat'
import { areDeliveriesPaused } from '../../webhooks/endpoints/pause'
import { clearToken } from '../access/cookie'
import { withRole } from '../access/roles'
import { clientInfoOf, withSession } from '../access/session'
import { ME } from '../paths'
import { PasswordText } from './sign-in-routes'
import { publishSessions } from './signed-in'

/** The signed-in user, and what every page needs. */
export type Me = {
  /** A user without a password signs in with a passkey, a provider or a link. */
  person: { id: string; email: string; role: Role; has_password: boolean }
  account: { id: string; name: string; required_sign_in: RequiredSignIn | null }
  /** What the account requires and this session did not begin with: only setting it up is possible. */
  needed_sign_in: RequiredSignIn | null
  version: string
  /** Null when ARDEN_TEMPORAL_UI_URL is not set. */
  temporal_ui_url: string | null
  /** The operator has paused all deliveries of the deployment. */
  deliveries_paused: boolean
  /** What the running workers can use; null while that is unknown. */
  providers: Provider[] | null
  /** Whether invitations are sent as emails; otherwise their links are shown. */
  sends_mail: boolean
}

type Deps = {
  sql: Sql
  clientAddress: ClientAddress
  limitAttempts: LimitAttempts
  temporalUiUrl: string | undefined
  sendsMail: boolean
  publishChange: PublishChange
}

/** The signed-in user's own sessions and password: every role may change them. */
export const meRoutes = ({
  sql,
  clientAddress,
  limitAttempts,
  temporalUiUrl,
  sendsMail,
  publishChange,
}: Deps) => {
  const publishEndedSession = ({ accountId }: Session) => publishSessions(publishChange, accountId)
  return new Elysia({ prefix: ME, normalize: false })
    .use(withSession)
    .use(withRole)
    .get(
      '',
      async ({ session }): Promise<{ data: Me }> => {
        const { id, name } = await getAccount(sql, session.accountId)
        const providers = await readProviders(sql)
        return {
          data: {
            person: {
              id: session.personId,
              email: session.email,
              role: session.role,
              has_password: session.hasPassword,
            },
            account: {
              id,
              name,
              required_sign_in: await readRequiredSignIn(sql, session.accountId),
            },
            needed_sign_in: session.neededSignIn,
            version: pkg.version,
            temporal_ui_url: temporalUiUrl ?? null,
            deliveries_paused: await areDeliveriesPaused(sql),
            providers: providers ?? null,
            sends_mail: sendsMail,
          },
        }
      },
      { role: 'viewer' },
    )
    .get('/sessions', async ({ session }) => ({ data: await listSessions(sql, session) }), {
      role: 'viewer',
    })
    .post(
      '/sign-out',
      async ({ session, request, server, set }) => {
        const context = auditContextOfSession(
          session,
          clientInfoOf({ request, server }, clientAddress),
        )
        await sql.begin(async tx => {
          await endSession(tx, session.personId, session.id)
          await recordAudit(tx, context, 'person.signed_out', session.personId)
        })
        publishEndedSession(session)
        set.headers['set-cookie'] = clearToken()
        return { data: {} }
      },
      { role: 'viewer', body: EmptyBody },
    )
    .post(
      '/sign-out-everywhere',
      async ({ session, request, server, set }) => {
        const context = auditContextOfSession(
          session,
          clientInfoOf({ request, server }, clientAddress),
        )
        await sql.begin(async tx => {
          await endSessions(tx, session.personId)
          await recordAudit(tx, context, 'person.signed_out_everywhere', session.personId)
        })
        publishEndedSession(session)
        set.headers['set-cookie'] = clearToken()
        return { data: {} }
      },
      { role: 'viewer', body: EmptyBody },
    )
    .delete(
      '/sessions/:id',
      async ({ session, request, server, params }) => {
        const context = auditContextOfSession(
          session,
          clientInfoOf({ request, server }, clientAddress),
        )
        await sql.begin(async tx => {
          const ended = await endSession(tx, session.personId, params.id)
          await recordAudit(tx, context, 'person.session_ended', session.personId, {
            ip_address: ended.address,
            signed_in_at: ended.created_at.toISOString(),
          })
        })
        publishEndedSession(session)
        return { data: { id: params.id, deleted: true } }
      },
      { role: 'viewer', body: EmptyBody },
    )
    .post(
      '/password',
      async ({ session, request, server, body }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        // A stolen session must not allow guesses without limit either.
        await limitAttempts({ personId: session.personId }, () =>
          changePassword(sql, session, body, client),
        )
        // It has ended the user's other sessions.
        publishEndedSession(session)
        return { data: {} }
      },
      { role: 'viewer', body: RequestBody({ current: PasswordText, password: PasswordText }) },
    )
}
