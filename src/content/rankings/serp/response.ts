import type { Static, TSchema } from '@sinclair/typebox'
import type { Detail } from '../../../errors'
import { createMemberCheck } from '../../../http/request/member-check'
import { readRetryAfterMs } from '../../../http/response/retry-after'
import { SerpProviderError, type SerpResponse } from './provider'

/**
 * Accepts a 2xx response. `text` is what the provider says of another one.
 * @throws {SerpProviderError} for every other status.
 */
export const checkStatus = ({ status, headers, text }: SerpResponse): void => {
  if (status >= 200 && status < 300) return
  const message = `responded with ${status}`
  const options = { retryAfterMs: readRetryAfterMs(headers), providerText: text }
  if (status === 429) throw new SerpProviderError('rate limited', message, options)
  if (status === 402) throw new SerpProviderError('out of credit', message, options)
  if (status === 401 || status === 403) throw new SerpProviderError('refused', message, options)
  if (status < 500 && status !== 408) throw new SerpProviderError('unusable', message, options)
  throw new SerpProviderError('unavailable', message, options)
}

/** Returns a reader of JSON in the documented format, in which other members are permitted. */
export const createReader = <T extends TSchema>(schema: T) => {
  const check = createMemberCheck(schema)
  /** @throws {SerpProviderError} unusable */
  return (text: string): Static<T> => {
    const body = parseJson(text)
    const wrong: Detail[] = []
    if (check(body, wrong)) return body
    const [{ path, message } = { path: 'body', message: 'is unknown' }] = wrong
    throw new SerpProviderError(
      'unusable',
      `responded with a result in another format than the documented one (${path} ${message})`,
      { providerText: text },
    )
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SerpProviderError('unusable', 'responded with something that is not JSON', {
      providerText: text,
    })
  }
}

/** The member `name` of a body of JSON, if it is a text. */
export const readText = (body: string, name: string): string | undefined => {
  try {
    const value: unknown = (JSON.parse(body) as Record<string, unknown> | null)?.[name]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
