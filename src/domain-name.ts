import punycode from 'punycode.js'

/**
 * Names of hosts with letters beyond ASCII: DNS has a form of its own for them (`xn--...`), people write and read their
 * letters. Also for browsers.
 */

/** Letters beyond ASCII in the form of DNS. What is no host name stays, for the API to refuse. */
export const toDomain = (typed: string): string => {
  const host = typed.trim().toLowerCase()
  return /[^\x20-\x7e]/.test(host) && !/[\s/\\:?#@%]/.test(host)
    ? (URL.parse(`http://${host}`)?.hostname ?? host)
    : host
}

/** `domain` with its own letters, such as `gipfelglück.de`. As it is where it stands for none. */
export const readableDomain = (domain: string): string => {
  try {
    const readable = punycode.toUnicode(domain)
    return toDomain(readable) === domain ? readable : domain
  } catch {
    // Such as xn--99999999999.de, which is a valid host name.
    return domain
  }
}
