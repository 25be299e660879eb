import { isLoopbackName } from './loopback-name'
import type { SettingReader } from './reader'

/** Set all of these, and ARDEN_PUBLIC_URL, or none. */
const CONNECTION = [
  'ARDEN_OIDC_ISSUER',
  'ARDEN_OIDC_CLIENT_ID',
  'ARDEN_OIDC_CLIENT_SECRET',
] as const

type Names = (typeof CONNECTION)[number] | 'ARDEN_PUBLIC_URL'

/** An OpenID Connect provider that users sign in with. */
export type OidcConfig = { issuer: string; clientId: string; clientSecret: string }

/** Undefined when users do not sign in with a provider. */
export const readOidc = ({
  text,
  url,
  settingError,
}: SettingReader<Names>): OidcConfig | undefined => {
  const issuer = url('ARDEN_OIDC_ISSUER')
  const [clientId, clientSecret] = [text('ARDEN_OIDC_CLIENT_ID'), text('ARDEN_OIDC_CLIENT_SECRET')]
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return undefined
  const missing = [...CONNECTION, 'ARDEN_PUBLIC_URL' as const].find(
    name => text(name) === undefined,
  )
  if (missing !== undefined)
    throw settingError(missing, 'is not set, but other settings of OpenID Connect are', [
      ...CONNECTION,
    ])
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const { protocol, hostname, username, password } = new URL(issuer)
  if (username !== '' || password !== '')
    throw settingError('ARDEN_OIDC_ISSUER', 'must have no user and no password')
  // Without TLS, anyone on the way could sign in as anyone.
  if (protocol !== 'https:' && !isLoopbackName(hostname))
    throw settingError('ARDEN_OIDC_ISSUER', 'is not an https:// URL')
  return { issuer, clientId, clientSecret }
}
