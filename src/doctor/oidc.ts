import type { Config } from '../config'
import { discoverProvider, findClientProblem } from '../people/oidc/provider'
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
            const problem = await findClientProblem(provider)
            if (problem === undefined) return ok(`${issuer} responds, and accepts the client.`)
            return fail(
              `${issuer} refuses the client "${oidc.clientId}": ${problem}.`,
              'Correct ARDEN_OIDC_CLIENT_ID and ARDEN_OIDC_CLIENT_SECRET.',
            )
          } catch (error) {
            return fail(
              `${oidc.issuer} cannot be used: ${describeCause(error)}.`,
              'Correct ARDEN_OIDC_ISSUER, or check the outgoing network.',
            )
          }
        },
      }
