import type { TemporalSettings } from './settings'

/** Turns connection errors of the SDK, which are dumps of Rust structures, into the setting to change. */

type ConnectionProblem = {
  /** Without a full stop. */
  message: string
  /** Waiting does not help: settings must change, here or on the server. */
  isPermanent: boolean
}

const PERMANENT: { pattern: RegExp; message: string }[] = [
  {
    pattern: /NotValidForName/,
    message:
      'its certificate is for other names. Use one of them in TEMPORAL_ADDRESS, or set TEMPORAL_TLS_SERVER_NAME to it',
  },
  {
    pattern: /InvalidCertificate\((UnknownIssuer|BadSignature)/,
    message:
      'its certificate is not signed by a trusted authority. Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the PEM file of its authority',
  },
  {
    pattern: /InvalidCertificate\((Expired|NotValidYet)/,
    message:
      'its certificate is expired or not yet valid. Renew it, or correct the clock of this machine',
  },
  {
    pattern: /InvalidCertificate/,
    message:
      'its certificate cannot be used. Renew it, and set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority',
  },
  {
    pattern: /fatal alert: (CertificateRequired|HandshakeFailure)/,
    message:
      'it requires a client certificate. Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  },
  {
    pattern: /fatal alert/,
    message:
      'it does not accept the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH. Set it, and TEMPORAL_TLS_CLIENT_KEY_PATH, to one whose authority it trusts',
  },
  {
    pattern: /PrivateKeyParseError|KeyMismatch|InconsistentKeys|CertificateParseError/,
    message:
      'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH are not a certificate and its key, in PEM without a password',
  },
  {
    pattern: /InvalidContentType/,
    message:
      'it does not use TLS. Set TEMPORAL_TLS=0 and unset the other TEMPORAL_TLS_* settings (TEMPORAL_API_KEY turns TLS on), or set TEMPORAL_ADDRESS to a port with TLS',
  },
  {
    pattern: /valid authentication credentials|does not have permission/,
    message:
      'it refused the credentials. Set TEMPORAL_API_KEY to a key of the namespace, and TEMPORAL_NAMESPACE to its full name',
  },
]

/**
 * The server closed the connection without a reason: it stops, or it refused the client after the handshake, as TLS 1.3
 * does for a client certificate.
 */
const CLOSED =
  /UnexpectedEof|Canceled|connection closed|h2 protocol error|ConnectionReset|BrokenPipe/

/** Undefined where the error is clear by itself. `tls`: the TLS options of the connection. */
export const connectionProblem = (
  error: unknown,
  tls: TemporalSettings['connectionOptions']['tls'],
): ConnectionProblem | undefined => {
  const text = error instanceof Error ? error.message : String(error)
  if (/dns error/.test(text))
    return { message: 'its name cannot be resolved. Correct TEMPORAL_ADDRESS', isPermanent: false }
  const permanent = PERMANENT.find(({ pattern }) => pattern.test(text))
  if (permanent !== undefined) return { message: permanent.message, isPermanent: true }
  if (!CLOSED.test(text)) return undefined
  const guess = !tls
    ? 'expects TLS (TEMPORAL_TLS=1)'
    : typeof tls === 'object' && tls?.clientCertPair
      ? 'accepts the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH'
      : 'requires a client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH)'
  return {
    message: `it closes the connection at once. If this persists, check whether it ${guess}`,
    isPermanent: false,
  }
}
