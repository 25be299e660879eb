import type { Config } from '../config'
import { discoverProvider } from '../people/oidc/provider'
import { type Checks, describeCause, fail, ok } from './check'

/** Checks the OpenID Connect provider, where this process knows one. */
export const oidcChecks = (oidc: Config['oidc']): Checks =>
  oidc === undefined
    ? {}
    : {
        'single sign-on': async () => {
          try {
            const { issuer } = (await discoverProvider(oidc)).serverMetadata()
            return ok(`${issuer} responds.`)
          } catch (error) {
            return fail(
              `${oidc.issuer} cannot be used: ${describeCause(error)}.`,
              'Correct ARDEN_OIDC_ISSUER, or check the outgoing network.',
            )
          }
        },
      }
