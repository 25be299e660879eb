import { Elysia } from 'elysia'
import { auditContextOf } from '../../accounts/audit'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { type Change, withChanges } from '../../http/change'
import { withCaller } from '../../http/request/caller'
import { Invitation, PersonChanges } from '../../people/schema'
import type { Session } from '../../people/sessions'
import { linkUrl } from '../../people/sign-in-links'
import { invitePerson, listPeople, updatePerson } from '../../people/store'
import { withSession } from '../access/session'
import { DASHBOARD_API } from '../paths'

type Deps = { sql: Sql; change: Change; publicUrl: string | undefined }

/** The people of the account: everyone sees them, owners change them. */
export const peopleRoutes = ({ sql, change, publicUrl }: Deps) =>
  new Elysia({ prefix: `${DASHBOARD_API}/people`, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withSession)
    .get('', async ({ session }) => ({ data: await listPeople(sql, session.accountId) }))
    .post(
      '/invitations',
      ctx => {
        checkOwner(ctx.session)
        return change(ctx, 201, async tx => {
          const link = await invitePerson(tx, auditContextOf(ctx.caller), ctx.body)
          const base = publicUrl ?? ctx.request.headers.get('origin') ?? ''
          // `secret`, because a replay under the same Idempotency-Key must not have it.
          return { secret: linkUrl(base, link), expires_at: link.expires_at }
        })
      },
      { changes: ['people', 'audit'], body: Invitation },
    )
    .patch(
      '/:id',
      ctx => {
        checkOwner(ctx.session)
        return change(ctx, 200, tx =>
          updatePerson(tx, auditContextOf(ctx.caller), ctx.params.id, ctx.body),
        )
      },
      { changes: ['people', 'audit'], body: PersonChanges },
    )

/** @throws {DomainError} FORBIDDEN */
const checkOwner = ({ email, role }: Session) => {
  if (role !== 'owner')
    throw new DomainError(
      'FORBIDDEN',
      `People are managed by owners, and ${email} is a ${role}. Ask an owner of the account.`,
    )
}
