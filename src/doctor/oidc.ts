import type { Config } from '../config'
import { checkClient, discoverProvider } from '../people/oidc/provider'
import { isUntrusted, TRUST_AUTHORITY } from '../private-authority'
import { type Checks, describeCause, fail, ok } from './check'

/** Checks the OpenID Connect provider, where this process knows one. */
export const oidcChecks = (oidc: Config['oidc']): Checks =>
  oidc === undefined
    ? {}
    : {
        'single sign-on': async () => {
          try {
            const provider = await discoverProvider(oidc)
            const { issuer } = provider.serverMetadata()
            const client = await checkClient(provider)
            if (client.result === 'refused')
              return fail(
                `${issuer} refuses the client "${oidc.clientId}": ${client.reason}.`,
                'Correct ARDEN_OIDC_CLIENT_ID and ARDEN_OIDC_CLIENT_SECRET.',
              )
            return client.result === 'accepted'
              ? ok(`${issuer} responds, and accepts the client.`)
              : ok(`${issuer} responds. Whether it accepts the client shows at a sign-in.`)
          } catch (error) {
            return fail(
              `${oidc.issuer} cannot be used: ${describeCause(error)}.`,
              isUntrusted(error)
                ? TRUST_AUTHORITY
                : 'Correct ARDEN_OIDC_ISSUER, or check the outgoing network.',
            )
          }
        },
      }
