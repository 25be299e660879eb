import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { RequestBody } from '../../http/schema'
import { signIn, signInByLink } from '../../people/sign-in'
import { findLink } from '../../people/sign-in-links'
import type { LimitAttempts } from '../../people/sign-in-throttle'
import { foldEmail } from '../../people/store'
import { setToken } from '../access/cookie'
import { clientInfoOf } from '../access/session'
import { OPEN } from '../paths'

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

type Deps = { sql: Sql; clientAddress: ClientAddress; limitAttempts: LimitAttempts }

/** Signing in with a password or a link: the routes that need no session. */
export const signInRoutes = ({ sql, clientAddress, limitAttempts }: Deps) =>
  new Elysia({ prefix: OPEN, normalize: false })
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const attempt = { email: foldEmail(body.email), address: client.address }
        const token = await limitAttempts(attempt, () => signIn(sql, body, client))
        set.headers['set-cookie'] = setToken(token)
        return { data: {} }
      },
      { body: Credentials },
    )
    .post(
      '/link',
      async ({ request, server, body }) => {
        const { address } = clientInfoOf({ request, server }, clientAddress)
        const { email, account_name, purpose } = await limitAttempts({ address }, () =>
          findLink(sql, body.token),
        )
        return { data: { email, account_name, purpose } }
      },
      { body: RequestBody({ token: Token }) },
    )
    .post(
      '/link/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const { address } = client
        const token = await limitAttempts({ address }, () => signInByLink(sql, body, client))
        set.headers['set-cookie'] = setToken(token)
        return { data: {} }
      },
      { body: LinkUse },
    )
