import { Elysia } from 'elysia'
import { EmptyBody } from '../../http/schema'
import { assertionOptions } from '../../people/passkeys/ceremony'
import { createChallenge } from '../../people/passkeys/challenges'
import { Assertion } from '../../people/passkeys/schema'
import { signInByPasskey } from '../../people/passkeys/sign-in'
import { clientInfoOf } from '../access/session'
import { OPEN } from '../paths'
import { siteOf } from './passkey-routes'
import type { SignInDeps } from './signed-in'

/** Signing in with a passkey (contract 3.22). */
export const passkeySignInRoutes = ({
  sql,
  clientAddress,
  limitAttempts,
  visitorLimits,
  onSignedIn,
  publicUrl,
}: SignInDeps & { publicUrl: string | undefined }) =>
  new Elysia({ prefix: `${OPEN}/passkey`, normalize: false })
    .post(
      '/options',
      async ({ request, server }) => {
        const { address } = clientInfoOf({ request, server }, clientAddress)
        const site = siteOf(request, publicUrl)
        await visitorLimits.countChallenge(address)
        return { data: await assertionOptions(site, await createChallenge(sql, null)) }
      },
      { body: EmptyBody },
    )
    .post(
      '/sign-in',
      async ({ request, server, body, set }) => {
        const client = clientInfoOf({ request, server }, clientAddress)
        const site = siteOf(request, publicUrl)
        const signedIn = await limitAttempts({ address: client.address }, () =>
          signInByPasskey(sql, site, body, client),
        )
        set.headers['set-cookie'] = onSignedIn(signedIn)
        return { data: {} }
      },
      { body: Assertion },
    )
