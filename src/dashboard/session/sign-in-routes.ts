import { Elysia, t } from 'elysia'
import { conflict } from '../../errors'
import { RequestBody } from '../../http/schema'
import { requestPasswordReset } from '../../people/mails'
import { signIn, signInByLink } from '../../people/sign-in'
import { findLink } from '../../people/sign-in-links'
import { checkEmail, foldEmail } from '../../people/store'
import { clientInfoOf } from '../access/session'
import { OPEN } from '../paths'
import type { SignInDeps } from './signed-in'

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

/** The ways to sign in that the sign-in page offers. */
export type SignInOptions = {
  /** Whether a link for a new password can be requested. */
  sends_mail: boolean
  /** Whether an OpenID Connect provider is configured. */
  oidc: boolean
}

type Deps = SignInDeps & { sendsMail: boolean; hasOidc: boolean }

/** Signing in with a password or a link: the routes that need no session. */
export const signInRoutes = ({
  sql,
  clientAddress,
  limitAttempts,
  visitorLimits,
  onSignedIn,
  sendsMail,
  hasOidc,
}: Deps) =>
  new Elysia({ prefix: OPEN, normalize: false })
    .get('/options', (): { data: SignInOptions } => ({
      data: { sends_mail: sendsMail, oidc: hasOidc },
    }))
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const attempt = { email: foldEmail(body.email), address: client.address }
        const signedIn = await limitAttempts(attempt, () => signIn(sql, body, client))
        set.headers['set-cookie'] = onSignedIn(signedIn)
        return { data: {} }
      },
      { body: Credentials },
    )
    .post(
      '/link',
      async ({ request, server, body }) => {
        const { address } = clientInfoOf({ request, server }, clientAddress)
        const { email, account_name, required_sign_in, purpose, person_id } = await limitAttempts(
          { address },
          () => findLink(sql, body.token),
        )
        return {
          data: {
            email,
            account_name,
            purpose,
            joins: person_id === null,
            requires_oidc: hasOidc && required_sign_in === 'oidc',
          },
        }
      },
      { body: RequestBody({ token: Token }) },
    )
    .post(
      '/link/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const { address } = client
        const signedIn = await limitAttempts({ address }, () => signInByLink(sql, body, client))
        set.headers['set-cookie'] = onSignedIn(signedIn)
        return { data: {} }
      },
      { body: LinkUse },
    )
    .post(
      '/password-reset',
      async ({ request, server, body }) => {
        if (!sendsMail)
          throw conflict(
            'This Arden sends no email. Ask an owner of the account for a link that sets a new password.',
          )
        const email = checkEmail(body.email)
        const { address } = clientInfoOf({ request, server }, clientAddress)
        await visitorLimits.countResetRequest({ email, address })
        await sql.begin(tx => requestPasswordReset(tx, { email, address }))
        return { data: {} }
      },
      { body: RequestBody({ email: t.String({ maxLength: TEXT_MAX }) }) },
    )
