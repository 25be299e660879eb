/** What keeps a connection from being encrypted, or from being let in without encryption, and what to change. */

type KnownTlsError = { code: RegExp; text?: RegExp; explanation: string }

const KNOWN_TLS_ERRORS: KnownTlsError[] = [
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    explanation:
      'its certificate is for other names than the host of DATABASE_URL. Use one of its names there, or sslmode=verify-ca, which does not compare them',
  },
  {
    code: /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_SIGNATURE_|CERT_UNTRUSTED|INVALID_CA)/,
    explanation:
      'none of the authorities in sslrootcert has issued its certificate. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of the one that has',
  },
  {
    code: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    explanation:
      'its certificate is not valid at this time. Renew it, or set the clock of this machine right',
  },
  {
    code: /^ERR_SSL_.*ALERT/,
    explanation:
      'it does not accept the certificate in sslcert. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY, to one whose authority it trusts',
  },
  {
    code: /^ECONNRESET$/,
    text: /before secure TLS/,
    explanation:
      'it has no TLS. Turn it on there, or set sslmode=prefer in DATABASE_URL, or PGSSLMODE',
  },
  {
    code: /^28000$/,
    text: /valid client certificate/,
    explanation:
      'it wants a certificate of Arden. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY',
  },
  {
    code: /^28000$/,
    text: /no encryption/,
    explanation:
      'it lets no one in without TLS. Set sslmode in DATABASE_URL, or PGSSLMODE, to require or verify-full',
  },
  {
    code: /^28000$/,
    text: /SSL encryption/,
    explanation:
      'it lets this user in only without TLS, or not at all. Add it to pg_hba.conf, or set sslmode=disable in DATABASE_URL, or PGSSLMODE',
  },
]

/** In words that end without a full stop; undefined when `error` has to do with something else. */
export const explainTlsError = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  return KNOWN_TLS_ERRORS.find(
    one => one.code.test(code) && (one.text?.test(error.message) ?? true),
  )?.explanation
}
