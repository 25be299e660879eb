/**
 * The code that the terminal and the page both show, so that a user approves the sign-in of their own terminal: 40 bits
 * of the challenge, in Crockford's base 32. No imports, because the page loads this file too.
 */
export const codeOf = (challenge: string): string => {
  const symbols = Array.from({ length: LENGTH }, (_, n) => {
    const bits = [...Array(BITS).keys()].map(bit => bitOf(challenge, n * BITS + bit))
    return SYMBOLS.charAt(Number.parseInt(bits.join(''), 2))
  })
  return `${symbols.slice(0, LENGTH / 2).join('')}-${symbols.slice(LENGTH / 2).join('')}`
}

/** A challenge, and a secret: 256 bits in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** The same, for schemas. */
export const CHALLENGE_PATTERN = CHALLENGE.source

export const isChallenge = (text: string): boolean => CHALLENGE.test(text)

const LENGTH = 8
const BITS = 5
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const BITS_OF_CHARACTER = 6

const bitOf = (challenge: string, bit: number): number => {
  const value = BASE64URL.indexOf(challenge.charAt(Math.floor(bit / BITS_OF_CHARACTER)))
  return (value >> (BITS_OF_CHARACTER - 1 - (bit % BITS_OF_CHARACTER))) & 1
}
