import type { Cipher } from './encryption'

/** Custom headers as `webhooks` stores them: each value encrypted by itself, so that names are read without a key. */
export type StoredHeaders = { readonly [name: string]: string }

/** The stored form of a value. It cannot be moved to another webhook or header. */
export const encryptHeader = (
  cipher: Cipher,
  webhookId: string,
  name: string,
  value: string,
): string => cipher.encrypt(value, contextOf(webhookId, name))

/** Whether `stored` is `value`. Not where no key decrypts it. */
export const isHeaderValue = (
  cipher: Cipher,
  webhookId: string,
  name: string,
  stored: string,
  value: string,
): boolean => {
  try {
    return cipher.decrypt(stored, contextOf(webhookId, name)) === value
  } catch {
    return false
  }
}

/** The headers in plain text (contract 4.16). @throws when one does not decrypt. */
export const decryptHeaders = (
  cipher: Cipher,
  webhookId: string,
  stored: StoredHeaders,
): Record<string, string> =>
  mapHeaders(stored, (value, name) => cipher.decrypt(value, contextOf(webhookId, name)))

/** The same headers under the first key of the cipher. @throws when one does not decrypt. */
export const reencryptHeaders = (
  cipher: Cipher,
  webhookId: string,
  stored: StoredHeaders,
): Record<string, string> =>
  mapHeaders(decryptHeaders(cipher, webhookId, stored), (value, name) =>
    encryptHeader(cipher, webhookId, name, value),
  )

const contextOf = (webhookId: string, name: string) => `${webhookId}:${name.toLowerCase()}`

const mapHeaders = (headers: StoredHeaders, change: (value: string, name: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value, name)]))
