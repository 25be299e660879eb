import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { stopAfterTests } from '../stop-after-tests'

/** A user of the provider. */
type ProviderUser = { sub: string; email: string; email_verified?: boolean }

type OidcTestProvider = {
  /** Settings of Arden, without ARDEN_PUBLIC_URL. */
  settings: Record<string, string>
  issuer: string
  /** Who signs in next: its pages ask nothing. */
  signInAs: (user: ProviderUser) => void
  stop: () => Promise<void>
}

const CLIENT = { id: 'arden', secret: 'a secret of the tests' }

/** A real OpenID Connect provider on 127.0.0.1, which signs everyone in as `signInAs` says. */
export const useOidcProvider = async (
  redirectUri: string,
  options: { emailInIdToken?: boolean } = {},
): Promise<OidcTestProvider> => stopAfterTests(await startOidcProvider(redirectUri, options))

const startOidcProvider = async (
  redirectUri: string,
  { emailInIdToken = false }: { emailInIdToken?: boolean },
): Promise<OidcTestProvider> => {
  let user: ProviderUser = { sub: 'none', email: 'none@example.com' }
  const users = new Map<string, ProviderUser>()
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !emailInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ email_verified: true, ...users.get(sub), sub }),
    }),
  })
  const handle = provider.callback()
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') {
      users.set(user.sub, user)
      return provider.interactionFinished(request, response, { login: { accountId: user.sub } })
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: String(params.client_id),
    })
    grant.addOIDCScope('openid email')
    return provider.interactionFinished(request, response, {
      consent: { grantId: await grant.save() },
    })
  })
  return {
    issuer,
    settings: {
      ARDEN_OIDC_ISSUER: issuer,
      ARDEN_OIDC_CLIENT_ID: CLIENT.id,
      ARDEN_OIDC_CLIENT_SECRET: CLIENT.secret,
    },
    signInAs: next => {
      user = next
    },
    stop: () =>
      new Promise(closed => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}
