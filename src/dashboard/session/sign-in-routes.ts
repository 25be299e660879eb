import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { RequestBody } from '../../http/schema'
import { signIn, signInByLink } from '../../people/sign-in'
import { findLink } from '../../people/sign-in-links'
import { resetSignInAttempts } from '../../people/sign-in-throttle'
import { foldEmail } from '../../people/store'
import { setToken } from '../access/cookie'
import { clientInfoOf } from '../access/session'
import { OPEN } from '../paths'
import { throttleSignIn } from './throttle'

/** Characters. */
const TEXT_MAX = 1000

export const PasswordText = t.String({ maxLength: TEXT_MAX })

const Credentials = RequestBody({
  email: t.String({ maxLength: TEXT_MAX }),
  password: PasswordText,
})
const Token = t.String({ maxLength: TEXT_MAX })
const LinkUse = RequestBody({
  token: Token,
  email: t.Optional(t.String({ maxLength: TEXT_MAX })),
  password: t.Optional(PasswordText),
})

type Deps = { sql: Sql; clientAddress: ClientAddress }

/** Signing in with a password or a link: the routes that need no session. */
export const signInRoutes = ({ sql, clientAddress }: Deps) =>
  new Elysia({ prefix: OPEN, normalize: false })
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const attempt = { email: foldEmail(body.email), address: client.address }
        await throttleSignIn(sql, attempt, set)
        set.headers['set-cookie'] = setToken(await signIn(sql, body, client))
        return { data: {} }
      },
      { body: Credentials },
    )
    .post(
      '/link',
      async ({ request, server, body, set }) => {
        const { address } = clientInfoOf({ request, server }, clientAddress)
        await throttleSignIn(sql, { address }, set)
        const { email, account_name, purpose } = await findLink(sql, body.token)
        await resetSignInAttempts(sql, { address })
        return { data: { email, account_name, purpose } }
      },
      { body: RequestBody({ token: Token }) },
    )
    .post(
      '/link/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const { address } = client
        await throttleSignIn(sql, { address }, set)
        set.headers['set-cookie'] = setToken(await signInByLink(sql, body, client))
        await resetSignInAttempts(sql, { address })
        return { data: {} }
      },
      { body: LinkUse },
    )
