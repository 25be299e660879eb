import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
} from 'node:tls'
import { PG_VARIABLES } from '../config/database-url'
import { StartError } from '../errors'

/**
 * TLS to PostgreSQL by libpq's parameters in the URL, with libpq's meaning. The driver knows only some of
 * them and sends the others to the server as session settings. What it cannot do is an error here, so that no
 * requested check is skipped silently.
 */

/** What the driver accepts as `ssl`. */
type TlsSettings = { url: string; ssl: false | 'prefer' | ConnectionOptions }

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'] as const
const TLS_PARAMETERS = ['ssl', 'sslmode', ...FILE_PARAMETERS] as const
/** The parameters above, removed from the URL. The driver reads `sslnegotiation` itself. */
type TlsParameters = { [name in (typeof TLS_PARAMETERS)[number]]?: string } & { isDirect: boolean }

/**
 * With these values, libpq requires a check that the driver cannot make. Weaker values need nothing.
 */
const UNSUPPORTED = { channel_binding: 'require', gssencmode: 'require' } as const

/**
 * The driver's TLS settings for `url`. Files are read once; restart the process to use new ones.
 * @throws {StartError} naming the parameter that is invalid or not supported, and its allowed values.
 */
export const readTlsSettings = (url: string): TlsSettings => {
  const parsed = new URL(url)
  const parameters = takeParameters(parsed.searchParams)
  const mode = readSslMode(parameters)
  const plain = parsed.href
  if (mode === 'disable') return { url: plain, ssl: false }
  if (mode === 'prefer') return { url: plain, ssl: mode }
  return {
    url: plain,
    ssl: {
      ...serverVerification(mode, parameters.sslrootcert, parsed.hostname),
      ...clientCertificate(parameters),
    },
  }
}

const takeParameters = (query: URLSearchParams): TlsParameters => {
  const negotiation = query.get('sslnegotiation') ?? 'postgres'
  if (negotiation !== 'postgres' && negotiation !== 'direct')
    throw parameterError(
      'sslnegotiation',
      `is "${negotiation}", which is neither postgres nor direct`,
    )
  const parameters: TlsParameters = { isDirect: negotiation === 'direct' }
  for (const name of TLS_PARAMETERS) {
    const value = query.get(name)
    if (value !== null) parameters[name] = value
    query.delete(name)
  }
  for (const [name, demand] of Object.entries(UNSUPPORTED)) {
    if (query.get(name) === demand)
      throw parameterError(name, `is "${demand}", which Arden does not support; remove it`)
    query.delete(name)
  }
  const unknown = [...query.keys()].find(name => /^ssl/.test(name) && name !== 'sslnegotiation')
  if (unknown !== undefined) throw parameterError(unknown, 'is not supported; remove it')
  return parameters
}

const readSslMode = (parameters: TlsParameters): SslMode => {
  const { ssl, sslmode, sslrootcert, isDirect } = parameters
  // As in libpq, for JDBC URLs.
  if (ssl !== undefined && ssl !== 'true')
    throw parameterError('ssl', `is "${ssl}"; use sslmode, which takes ${SSL_MODES.join(', ')}`)
  const usual = sslrootcert === 'system' ? 'verify-full' : ssl === 'true' ? 'require' : 'prefer'
  const mode = SSL_MODES.find(one => one === (sslmode ?? usual))
  if (mode === undefined)
    throw parameterError('sslmode', `is "${sslmode}", which is none of ${SSL_MODES.join(', ')}`)
  // System authorities issue certificates for any name, so the name must be verified.
  if (sslrootcert === 'system' && mode !== 'verify-full')
    throw parameterError('sslmode', `is "${mode}", but sslrootcert=system needs verify-full`)
  if (isDirect && (mode === 'disable' || mode === 'prefer'))
    throw parameterError('sslnegotiation', 'is "direct", which needs sslmode=require or stronger')
  const unused =
    mode === 'prefer' ? FILE_PARAMETERS.find(name => parameters[name] !== undefined) : undefined
  if (unused !== undefined)
    throw parameterError(
      'sslmode',
      `is "prefer", which falls back to no TLS and verifies nothing, but ${unused} is set; use verify-full`,
    )
  return mode
}

/** Whether the server's certificate is verified: not at all, its authority, or also its name. */
const serverVerification = (
  mode: Exclude<SslMode, 'disable' | 'prefer'>,
  rootFile: string | undefined,
  hostname: string,
): ConnectionOptions => {
  if (rootFile === undefined) {
    if (mode === 'require') return { rejectUnauthorized: false }
    throw parameterError(
      'sslrootcert',
      `is not set, but sslmode=${mode} requires it: the file of the authority that issued the server's certificate, or system for the authorities that this machine trusts`,
    )
  }
  const ca = rootFile === 'system' ? getCACertificates('system') : readPem('sslrootcert', rootFile)
  try {
    createSecureContext({ ca })
  } catch {
    throw parameterError('sslrootcert', `is ${rootFile}, which has no PEM certificate`)
  }
  // As in libpq, `require` with a root file means `verify-ca`.
  if (mode !== 'verify-full') return { ca, checkServerIdentity: () => undefined }
  // For an IP address the driver sets no server name, so the address is compared here.
  const address = hostname.replace(/^\[|\]$/g, '')
  return {
    ca,
    checkServerIdentity: (name, certificate) =>
      checkServerIdentity(isIP(address) ? address : name, certificate),
  }
}

const clientCertificate = ({
  sslcert: certFile,
  sslkey: keyFile,
}: TlsParameters): ConnectionOptions => {
  if (certFile === undefined && keyFile === undefined) return {}
  if (certFile === undefined) throw parameterError('sslcert', 'is not set, but sslkey is')
  if (keyFile === undefined) throw parameterError('sslkey', 'is not set, but sslcert is')
  const pair = { cert: readPem('sslcert', certFile), key: readPem('sslkey', keyFile) }
  try {
    createSecureContext(pair)
  } catch {
    throw parameterError(
      'sslcert',
      `is ${certFile} and sslkey is ${keyFile}, which are not a PEM certificate and its unencrypted key`,
    )
  }
  return pair
}

const readPem = (name: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw parameterError(
      name,
      `is ${file}, which cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`,
    )
  }
}

const parameterError = (name: string, what: string) => {
  const variable: string | undefined = Object.entries(PG_VARIABLES).find(
    ([own]) => own === name,
  )?.[1]
  return new StartError(
    `${name} ${what}. It is a parameter of DATABASE_URL${variable === undefined ? '' : `, or ${variable}`}.`,
  )
}
