/** OpenSSL's codes of a certificate that no trusted authority has issued. */
const CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Their texts: the library for emails replaces the codes. */
const TEXTS =
  /^(self.signed certificate|unable to (verify the first|get (local )?issuer) certificate)/

/** What to do about it. Bun reads the variable when the process starts. */
export const TRUST_AUTHORITY =
  'If an authority of your own has issued the certificate, set NODE_EXTRA_CA_CERTS to the file of that authority; otherwise the server must send its intermediate certificates as well.'

/** Whether a request failed because of such a certificate. */
export const isUntrusted = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && CODES.includes(String(error.code))) ||
    TEXTS.test(error.message) ||
    isUntrusted(error.cause))
