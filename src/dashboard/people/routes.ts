import { Elysia } from 'elysia'
import { auditContextOf } from '../../accounts/audit'
import { type Change, withChanges } from '../../http/change'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { EmptyBody } from '../../http/schema'
import { mailInvitation } from '../../people/mails'
import { listLinks, revokeLink } from '../../people/pending-links'
import { Invitation, PersonChanges } from '../../people/schema'
import { linkUrl } from '../../people/sign-in-links'
import { foldEmail, invitePerson, listPeople, updatePerson } from '../../people/store'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

type Deps = { read: Read; change: Change; publicUrl: string | undefined; sendsMail: boolean }

/** The users of the account. Every role can list them; only owners invite and change them, and see pending links. */
export const peopleRoutes = ({ read, change, publicUrl, sendsMail }: Deps) =>
  new Elysia({ prefix: `${DASHBOARD_API}/people`, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withRole)
    .get(
      '',
      async ({ caller }) => ({
        data: await read(caller, sql => listPeople(sql, caller.accountId)),
      }),
      { role: 'viewer' },
    )
    .post(
      '/invitations',
      ctx =>
        change(ctx, 201, async tx => {
          const link = await invitePerson(tx, auditContextOf(ctx.caller), ctx.body)
          const { expires_at } = link
          if (sendsMail && ctx.body.email !== undefined) {
            const email = foldEmail(ctx.body.email)
            await mailInvitation(tx, link, { email, accountId: ctx.caller.accountId })
            return { sent_to: email, expires_at }
          }
          const base = publicUrl ?? ctx.request.headers.get('origin') ?? ''
          // Named `secret`, because a replay under the same Idempotency-Key leaves that out.
          return { secret: linkUrl(base, link), expires_at }
        }),
      { role: 'owner', changes: ['people', 'audit'], body: Invitation },
    )
    .get(
      '/links',
      async ({ caller }) => ({ data: await read(caller, sql => listLinks(sql, caller.accountId)) }),
      { role: 'owner' },
    )
    .delete(
      '/links/:id',
      ctx =>
        change(ctx, 200, async tx => {
          const { id } = await revokeLink(tx, auditContextOf(ctx.caller), ctx.params.id)
          return { id, deleted: true }
        }),
      { role: 'owner', changes: ['people', 'audit'], body: EmptyBody },
    )
    .patch(
      '/:id',
      ctx =>
        change(ctx, 200, tx =>
          updatePerson(tx, auditContextOf(ctx.caller), ctx.params.id, ctx.body),
        ),
      { role: 'owner', changes: ['people', 'audit'], body: PersonChanges },
    )
