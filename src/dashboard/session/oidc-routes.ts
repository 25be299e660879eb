import { Elysia, t } from 'elysia'
import { conflict, DomainError } from '../../errors'
import { EmptyBody, RequestBody } from '../../http/schema'
import type { OidcProvider } from '../../people/oidc/provider'
import { signInByIdentity } from '../../people/oidc/sign-in'
import { newToken } from '../../people/token'
import { clearOidcSecret, readOidcSecret, setOidcSecret } from '../access/cookie'
import { clientInfoOf } from '../access/session'
import { OPEN } from '../paths'
import type { SignInDeps } from './signed-in'

/** Characters: of the query with which a provider sends a browser back. */
const QUERY_MAX = 8_000
const TOKEN_MAX = 1_000

/** Signing in with an OpenID Connect provider (contract 3.21). */
export const oidcRoutes = ({
  sql,
  clientAddress,
  limitAttempts,
  visitorLimits,
  onSignedIn,
  provider,
}: SignInDeps & { provider: OidcProvider | undefined }) =>
  new Elysia({ prefix: `${OPEN}/oidc`, normalize: false })
    .post(
      '',
      async ({ request, server, set }) => {
        await visitorLimits.countOidcStart(clientInfoOf({ request, server }, clientAddress).address)
        const secret = newToken()
        const url = await configured(provider).authorizationUrl(secret)
        set.headers['set-cookie'] = setOidcSecret(secret)
        return { data: { url } }
      },
      { body: EmptyBody },
    )
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const secret = readOidcSecret(request)
        const signedIn = await limitAttempts({ address: client.address }, async () => {
          if (secret === undefined) throw notBegunHere()
          const requestId = String(set.headers['x-request-id'])
          const identity = await configured(provider).identify(secret, body.query, requestId)
          return signInByIdentity(sql, { ...identity, invitation: body.invitation }, client)
        })
        set.headers['set-cookie'] = [onSignedIn(signedIn), clearOidcSecret()]
        return { data: {} }
      },
      {
        body: RequestBody({
          query: t.String({ maxLength: QUERY_MAX }),
          invitation: t.Optional(t.String({ maxLength: TOKEN_MAX })),
        }),
      },
    )

/** Else a stranger could sign a user in as the stranger, by a link. */
const notBegunHere = () =>
  new DomainError(
    'UNAUTHORIZED',
    'This sign-in was not begun in this browser, or more than 10 minutes ago. Start again.',
  )

const configured = (provider: OidcProvider | undefined): OidcProvider => {
  if (provider === undefined)
    throw conflict('This Arden has no OpenID Connect provider. Sign in with your password.')
  return provider
}
