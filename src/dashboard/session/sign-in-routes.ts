import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import { RequestBody } from '../../http/schema'
import { signIn, signInByLink } from '../../people/sign-in'
import { findLink } from '../../people/sign-in-links'
import { foldEmail } from '../../people/store'
import { setToken } from '../access/cookie'
import { fromOf } from '../access/session'
import { OPEN } from '../paths'
import { limitTries } from './throttle'

const TEXT_MAX = 1000

const Credentials = RequestBody({
  email: t.String({ maxLength: TEXT_MAX }),
  password: t.String({ maxLength: TEXT_MAX }),
})
const Token = t.String({ maxLength: TEXT_MAX })
const LinkUse = RequestBody({
  token: Token,
  email: t.Optional(t.String({ maxLength: TEXT_MAX })),
  password: t.Optional(t.String({ maxLength: TEXT_MAX })),
})

type Deps = { sql: Sql; clientAddress: ClientAddress }

/** The ways in, for whoever has no session yet. */
export const openRoutes = ({ sql, clientAddress }: Deps) =>
  new Elysia({ prefix: OPEN, normalize: false })
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const from = fromOf({ request, server }, clientAddress)
        await limitTries(sql, foldEmail(body.email), from.address, set)
        set.headers['set-cookie'] = setToken(await signIn(sql, body, from))
        return { data: {} }
      },
      { body: Credentials },
    )
    .post(
      '/link',
      async ({ body }) => {
        const { email, account_name, purpose } = await findLink(sql, body.token)
        return { data: { email, account_name, purpose } }
      },
      { body: RequestBody({ token: Token }) },
    )
    .post(
      '/link/sign-in',
      async ({ request, server, body, set }) => {
        const from = fromOf({ request, server }, clientAddress)
        set.headers['set-cookie'] = setToken(await signInByLink(sql, body, from))
        return { data: {} }
      },
      { body: LinkUse },
    )
