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
 * TLS to Postgres, by libpq's parameters in the URL, and as libpq means them: `sslmode` (`prefer` when it
 * is not given), `sslrootcert`, `sslcert`, `sslkey`. The driver knows some of them, and sends the others to
 * the server as settings of the session. What it cannot do is refused here, so that nobody believes in a
 * check that is not made.
 */

/** What the driver takes: its word for "TLS if the server has it", or what goes to `node:tls`. */
export type TlsSettings = { url: string; ssl: false | 'prefer' | ConnectionOptions }

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'] as const
const TLS_PARAMETERS = ['ssl', 'sslmode', ...FILE_PARAMETERS] as const
/** What the parameters above say, taken out of the URL. The driver takes `sslnegotiation` itself. */
type TlsParameters = { [name in (typeof TLS_PARAMETERS)[number]]?: string } & { isDirect: boolean }

/** Of what these can ask for, only the weaker wishes are met, and those without doing anything. */
const UNSUPPORTED = { channel_binding: 'require', gssencmode: 'require' } as const

/**
 * How the driver is to connect to `url`. Files are read once, here: a process has to start anew to take
 * new ones.
 * @throws {StartError} naming the parameter that is wrong or not supported, and what it takes.
 */
export const readTlsSettings = (url: string): TlsSettings => {
  const parsed = new URL(url)
  const asked = takeParameters(parsed.searchParams)
  const mode = readSslMode(asked)
  const plain = parsed.href
  if (mode === 'disable') return { url: plain, ssl: false }
  if (mode === 'prefer') return { url: plain, ssl: mode }
  return {
    url: plain,
    ssl: {
      ...serverVerification(mode, asked.sslrootcert, parsed.hostname),
      ...clientCertificate(asked),
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
  const asked: TlsParameters = { isDirect: negotiation === 'direct' }
  for (const name of TLS_PARAMETERS) {
    const value = query.get(name)
    if (value !== null) asked[name] = value
    query.delete(name)
  }
  for (const [name, demand] of Object.entries(UNSUPPORTED)) {
    if (query.get(name) === demand)
      throw parameterError(name, `is "${demand}", which Arden cannot do; leave it out`)
    query.delete(name)
  }
  const unknown = [...query.keys()].find(name => /^ssl/.test(name) && name !== 'sslnegotiation')
  if (unknown !== undefined) throw parameterError(unknown, 'is not supported; leave it out')
  return asked
}

const readSslMode = (asked: TlsParameters): SslMode => {
  const { ssl, sslmode, sslrootcert, isDirect } = asked
  // As libpq does it, for the sake of JDBC's URLs.
  if (ssl !== undefined && ssl !== 'true')
    throw parameterError('ssl', `is "${ssl}"; use sslmode, which takes ${SSL_MODES.join(', ')}`)
  const usual = sslrootcert === 'system' ? 'verify-full' : ssl === 'true' ? 'require' : 'prefer'
  const mode = SSL_MODES.find(one => one === (sslmode ?? usual))
  if (mode === undefined)
    throw parameterError('sslmode', `is "${sslmode}", which is none of ${SSL_MODES.join(', ')}`)
  // The authorities of a system certify anybody: without the name the check would say nothing.
  if (sslrootcert === 'system' && mode !== 'verify-full')
    throw parameterError('sslmode', `is "${mode}", but sslrootcert=system needs verify-full`)
  if (isDirect && (mode === 'disable' || mode === 'prefer'))
    throw parameterError('sslnegotiation', 'is "direct", which needs sslmode=require or stronger')
  const unused =
    mode === 'prefer' ? FILE_PARAMETERS.find(name => asked[name] !== undefined) : undefined
  if (unused !== undefined)
    throw parameterError(
      'sslmode',
      `is "prefer", which goes on without TLS and checks nothing, but ${unused} is set; use verify-full`,
    )
  return mode
}

/** What of the server's certificate is checked: nothing, who issued it, or its name as well. */
const serverVerification = (
  mode: Exclude<SslMode, 'disable' | 'prefer'>,
  rootFile: string | undefined,
  hostname: string,
): ConnectionOptions => {
  if (rootFile === undefined) {
    if (mode === 'require') return { rejectUnauthorized: false }
    throw parameterError(
      'sslrootcert',
      `is not set, but sslmode=${mode} needs it: the file of the authority that issued the server's certificate, or system for those the machine trusts`,
    )
  }
  const ca = rootFile === 'system' ? getCACertificates('system') : readPem('sslrootcert', rootFile)
  try {
    createSecureContext({ ca })
  } catch {
    throw parameterError('sslrootcert', `is ${rootFile}, which holds no certificate as PEM`)
  }
  // libpq, too, takes `require` with a file for `verify-ca`.
  if (mode !== 'verify-full') return { ca, checkServerIdentity: () => undefined }
  // The driver names no server where the host is an address, and so nothing would be compared with it.
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
      `is ${certFile} and sslkey is ${keyFile}, which are not a certificate and its own key as PEM, without a password`,
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
