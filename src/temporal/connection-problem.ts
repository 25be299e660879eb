import type { TemporalSettings } from './settings'

/** Why Temporal cannot be used by these settings, and which to change. The SDK's errors are a dump of Rust's. */

export type ConnectionProblem = {
  /** In words that end without a full stop. */
  says: string
  /** Nothing but other settings help, here or there: it is no use to wait. */
  isFinal: boolean
}

const FINAL: { text: RegExp; says: string }[] = [
  {
    text: /NotValidForName/,
    says: 'its certificate is for other names. Use one of its names in TEMPORAL_ADDRESS, or set TEMPORAL_TLS_SERVER_NAME to it',
  },
  {
    text: /InvalidCertificate\((UnknownIssuer|BadSignature)/,
    says: 'the authorities that Arden trusts have not issued its certificate. Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of the one that has, as PEM',
  },
  {
    text: /InvalidCertificate\((Expired|NotValidYet)/,
    says: 'its certificate is not valid at this time. Renew it, or set the clock of this machine right',
  },
  {
    text: /InvalidCertificate/,
    says: 'its certificate cannot be used. Renew it, and set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority',
  },
  {
    text: /fatal alert: (CertificateRequired|HandshakeFailure)/,
    says: 'it wants a certificate of Arden. Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  },
  {
    text: /fatal alert/,
    says: 'it does not accept the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH. Set it, and TEMPORAL_TLS_CLIENT_KEY_PATH, to one whose authority it trusts',
  },
  {
    text: /PrivateKeyParseError|KeyMismatch|InconsistentKeys|CertificateParseError/,
    says: 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH are not a certificate and its own key, as PEM and without a password',
  },
  {
    text: /InvalidContentType/,
    says: 'it does not speak TLS. Unset TEMPORAL_TLS and its like where it shall not, or set TEMPORAL_ADDRESS to the port where it does',
  },
  {
    text: /valid authentication credentials|does not have permission/,
    says: 'it does not let Arden in. Set TEMPORAL_API_KEY to a key of the namespace, and TEMPORAL_NAMESPACE to its full name',
  },
]

/**
 * A connection that is ended without a word. A server that stops does it, and one whose refusal is
 * overtaken by the end: with TLS 1.3 a client hears only after the handshake that its certificate is not
 * enough.
 */
const ENDED =
  /UnexpectedEof|Canceled|connection closed|h2 protocol error|ConnectionReset|BrokenPipe/

/** Undefined where the error says enough by itself. `tls`: what was connected with. */
export const connectionProblem = (
  error: unknown,
  tls: TemporalSettings['connectionOptions']['tls'],
): ConnectionProblem | undefined => {
  const text = error instanceof Error ? error.message : String(error)
  const final = FINAL.find(one => one.text.test(text))
  if (final !== undefined) return { says: final.says, isFinal: true }
  if (!ENDED.test(text)) return undefined
  const guess = !tls
    ? 'expects TLS (TEMPORAL_TLS=1)'
    : typeof tls === 'object' && tls?.clientCertPair
      ? 'accepts the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH'
      : 'wants a certificate of Arden (TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH)'
  return {
    says: `it ends the connection at once. If that stays so, check whether it ${guess}`,
    isFinal: false,
  }
}
