import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { EmptyBody, RequestBody } from '../../http/schema'
import { registrationOptions, relyingPartyOf } from '../../people/passkeys/ceremony'
import { createChallenge } from '../../people/passkeys/challenges'
import { confirmPerson } from '../../people/passkeys/confirm'
import { PasskeyName, Registration } from '../../people/passkeys/schema'
import {
  addPasskey,
  listCredentials,
  listPasskeys,
  ownPasskeyNeeded,
  removePasskey,
  renamePasskey,
} from '../../people/passkeys/store'
import type { LimitAttempts } from '../../people/sign-in-throttle'
import { withRole } from '../access/roles'
import { clientInfoOf, withSession } from '../access/session'
import { ME } from '../paths'
import { PasswordText } from './sign-in-routes'

type Deps = {
  sql: Sql
  clientAddress: ClientAddress
  limitAttempts: LimitAttempts
  publicUrl: string | undefined
}

/** The site as the browser names it; the gate has checked the origin of the request. */
export const siteOf = (request: Request, publicUrl: string | undefined) =>
  relyingPartyOf(
    publicUrl === undefined ? (request.headers.get('origin') ?? '') : new URL(publicUrl).origin,
  )

/** The signed-in user's own passkeys (contract 3.22): every role may change them. */
export const passkeyRoutes = ({ sql, clientAddress, limitAttempts, publicUrl }: Deps) =>
  new Elysia({ prefix: `${ME}/passkeys`, normalize: false })
    .use(withSession)
    .use(withRole)
    .get('', async ({ session }) => ({ data: await listPasskeys(sql, session.personId) }), {
      role: 'viewer',
    })
    .post(
      '/options',
      async ({ session, request, body }) => {
        const site = siteOf(request, publicUrl)
        const { personId, email } = session
        const existing = await listCredentials(sql, personId)
        if (session.neededSignIn !== null && existing.length > 0) throw ownPasskeyNeeded()
        await confirmPerson(sql, limitAttempts, session, body.current)
        const data = await registrationOptions(site, {
          challenge: await createChallenge(sql, personId),
          person: { id: personId, email },
          existing,
        })
        return { data }
      },
      { role: 'viewer', body: RequestBody({ current: t.Optional(PasswordText) }) },
    )
    .post(
      '',
      async ({ session, request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const site = siteOf(request, publicUrl)
        const data = await addPasskey(sql, session, site, body, client)
        set.status = 201
        return { data }
      },
      { role: 'viewer', body: Registration },
    )
    .patch(
      '/:id',
      async ({ session, params, body }) => ({
        data: await renamePasskey(sql, session, params.id, body.name),
      }),
      { role: 'viewer', body: PasskeyName },
    )
    .delete(
      '/:id',
      async ({ session, request, server, params }) => {
        await removePasskey(
          sql,
          session,
          params.id,
          clientInfoOf({ request, server }, clientAddress),
        )
        return { data: { id: params.id, deleted: true } }
      },
      { role: 'viewer', body: EmptyBody },
    )
