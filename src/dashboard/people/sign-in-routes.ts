import { Elysia } from 'elysia'
import { auditContextOf } from '../../accounts/audit'
import { conflict } from '../../errors'
import type { Change } from '../../http/change'
import { withChanges } from '../../http/change'
import { withCaller } from '../../http/request/caller'
import { EmptyBody, Nullable, OneOf, RequestBody } from '../../http/schema'
import { checkNoLockout, NO_PROVIDER, setRequiredSignIn } from '../../people/required-sign-in'
import { REQUIRED_SIGN_INS } from '../../people/schema'
import { resetSignIn } from '../../people/sign-in-reset'
import { withRole } from '../access/roles'
import { withSession } from '../access/session'
import { DASHBOARD_API } from '../paths'

type Deps = { change: Change; hasOidc: boolean }

/** How the users of the account sign in: what owners require, and a new beginning for one of them. */
export const accountSignInRoutes = ({ change, hasOidc }: Deps) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withSession)
    .use(withRole)
    .post(
      '/required-sign-in',
      ctx =>
        change(ctx, 200, async tx => {
          const { required } = ctx.body
          if (required === 'oidc' && !hasOidc) throw conflict(NO_PROVIDER)
          checkNoLockout(ctx.session, required)
          await setRequiredSignIn(tx, auditContextOf(ctx.caller), required)
          return { required }
        }),
      {
        role: 'owner',
        changes: ['people', 'audit'],
        body: RequestBody({ required: Nullable(OneOf(REQUIRED_SIGN_INS)) }),
      },
    )
    .post(
      '/people/:id/reset-sign-in',
      ctx => change(ctx, 200, tx => resetSignIn(tx, auditContextOf(ctx.caller), ctx.params.id)),
      { role: 'owner', changes: ['people', 'audit'], body: EmptyBody },
    )
