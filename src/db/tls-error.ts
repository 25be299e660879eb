/** Why PostgreSQL and Arden cannot agree on TLS, and what to change. */

type KnownTlsError = { code: RegExp; text?: RegExp; explanation: string }

const KNOWN_TLS_ERRORS: KnownTlsError[] = [
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    explanation:
      'its certificate does not match the host of DATABASE_URL. Use a name of the certificate as host, or sslmode=verify-ca, which does not compare names',
  },
  {
    code: /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_SIGNATURE_|CERT_UNTRUSTED|INVALID_CA)/,
    explanation:
      'its certificate is not issued by an authority in sslrootcert. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of its authority',
  },
  {
    code: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    explanation:
      'its certificate has expired or is not valid yet. Renew it, or correct the clock of this machine',
  },
  {
    code: /^ERR_SSL_.*ALERT/,
    explanation:
      'it does not accept the certificate in sslcert. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY, to a certificate of an authority that it trusts',
  },
  {
    code: /^ECONNRESET$/,
    text: /before secure TLS/,
    explanation:
      'it does not support TLS. Enable TLS on the server, or set sslmode=prefer in DATABASE_URL, or PGSSLMODE. With sslnegotiation=direct it must be PostgreSQL 17 or newer',
  },
  {
    code: /^28000$/,
    text: /valid client certificate/,
    explanation:
      'it requires a client certificate. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY',
  },
  {
    code: /^28000$/,
    text: /no encryption/,
    explanation:
      'it requires TLS. Set sslmode in DATABASE_URL, or PGSSLMODE, to require or verify-full',
  },
  {
    code: /^28000$/,
    text: /SSL encryption/,
    explanation:
      'pg_hba.conf has no entry for this user with TLS. Add one, or set sslmode=disable in DATABASE_URL, or PGSSLMODE',
  },
]

/** A sentence without a full stop; undefined for other errors. */
export const explainTlsError = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  return KNOWN_TLS_ERRORS.find(
    one => one.code.test(code) && (one.text?.test(error.message) ?? true),
  )?.explanation
}
