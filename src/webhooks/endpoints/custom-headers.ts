import { type Detail, invalid, invalidMembers } from '../../errors'
import type { Cipher } from '../signing/encryption'
import { encryptHeader, isHeaderValue, type StoredHeaders } from '../signing/header-values'

/** The rules of custom headers, and how a PATCH changes them (contract 4.16). */

/** Headers of a webhook. */
export const HEADERS_MAX = 20
/** Characters of a name. */
const HEADER_NAME_MAX = 64
/** RFC 9110, 5.6.2: a token. */
export const HEADER_NAME = `^[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,${HEADER_NAME_MAX}}$`
/** What a response shows instead of a value. */
export const MASKED = '********'

/** A value to set by name, null to remove the header. Other headers stay as they are. */
type HeaderChanges = { readonly [name: string]: string | null }

/**
 * Headers that Arden sets, that frame the message, or that belong to one connection (RFC 9110, 7.6.1). A content coding
 * would be declared for a body that has none, and be accepted for a response that is stored as it comes.
 */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])
const RESERVED_PREFIX = /^(x-webhook-|webhook-|proxy-)/

/** What is wrong with the names, and values that are masked ones. The schema has checked the values. */
export const findHeaderProblems = (headers: HeaderChanges): Detail[] => {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = describeName(name, seen) ?? (value === MASKED ? IS_MASKED : undefined)
    seen.add(name.toLowerCase())
    return message === undefined ? [] : [{ path: name.slice(0, HEADER_NAME_MAX), message }]
  })
}

const IS_MASKED =
  'is the masked value of a response. Leave the header out to keep its value, or send the new one.'

const describeName = (name: string, seen: ReadonlySet<string>): string | undefined => {
  const lower = name.toLowerCase()
  if (!new RegExp(HEADER_NAME).test(name))
    return `must be the name of an HTTP header: 1 to ${HEADER_NAME_MAX} letters, digits and the characters !#$%&'*+-.^_\`|~`
  if (RESERVED.has(lower) || RESERVED_PREFIX.test(lower))
    return 'is set by Arden or by the connection. Choose another name.'
  return seen.has(lower) ? 'is there twice. Upper and lower case are the same header.' : undefined
}

/**
 * The stored headers after a change.
 * @throws {DomainError} VALIDATION_ERROR naming `headers` when there are too many.
 */
export const changeHeaders = (
  cipher: Cipher,
  webhookId: string,
  stored: StoredHeaders,
  changes: HeaderChanges,
): StoredHeaders => {
  const headers = new Map(Object.entries(stored).map(one => [one[0].toLowerCase(), one]))
  for (const [name, value] of Object.entries(changes)) {
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined
    if (value === null) headers.delete(name.toLowerCase())
    else if (before === undefined || !isHeaderValue(cipher, webhookId, name, before, value))
      headers.set(name.toLowerCase(), [name, encryptHeader(cipher, webhookId, name, value)])
  }
  if (headers.size > HEADERS_MAX)
    throw invalid('headers', `must have at most ${HEADERS_MAX} members, with those that are kept`)
  return Object.fromEntries(headers.values())
}

/**
 * Values are for the server that they were set for: with a URL of another one, who may change the webhook could read
 * them.
 * @throws {DomainError} VALIDATION_ERROR naming each header that `changes` neither sets nor removes.
 */
export const checkServerOfHeaders = (
  stored: StoredHeaders,
  changes: HeaderChanges,
  { from, to }: { from: string; to: string },
): void => {
  const { origin } = new URL(from)
  if (new URL(to).origin === origin) return
  const changed = new Set(Object.keys(changes).map(name => name.toLowerCase()))
  const kept = Object.keys(stored).filter(name => !changed.has(name.toLowerCase()))
  if (kept.length === 0) return
  const message = `was set for ${origin}. Set its value for the new URL, or remove the header.`
  throw invalidMembers(kept.map(name => ({ path: `headers.${name}`, message })))
}

/** The headers as responses show them: names, without values. */
export const maskHeaders = (stored: StoredHeaders): Record<string, typeof MASKED> =>
  Object.fromEntries(
    Object.keys(stored)
      .sort()
      .map(name => [name, MASKED]),
  )

/** The headers in the audit history: names, without values. */
export const auditHeaders = (before: StoredHeaders, after: StoredHeaders) => ({
  from: Object.keys(before).sort(),
  to: Object.keys(after)
    .sort()
    .map(name =>
      Object.hasOwn(before, name) && before[name] !== after[name] ? `${name} (new value)` : name,
    ),
})
