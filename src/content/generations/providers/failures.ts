import { isUntrusted } from '../../../private-authority'
import type { GenerationErrorCode } from '../schema'
import { ProviderError } from './provider'

/**
 * What follows each failure of a provider (contract 6.7), as a table:
 * - `code`: the error code of the generation.
 * - `next`: whether the next provider is called at once. Not when the response has begun: its text has been shown, and
 *   paid. Not when another provider would only repeat what this one was right to refuse.
 * - `otherwise`, without a next provider: `retry` later, as one of four failures; `wait` until the rate limit permits
 *   another request, which is no failure; or `fail`, because each retry would fail too.
 * - `statuses`: the HTTP statuses that mean it. Other 5xx are `server_error`, and other 4xx `bad_request`.
 */
const FAILURES = {
  unreachable: row('provider_unavailable', 'next', 'retry'),
  untrusted: row('provider_unavailable', 'next', 'retry'),
  server_error: row('provider_unavailable', 'next', 'retry', [408, 409]),
  overloaded: row('provider_unavailable', 'next', 'retry', [503, 529]),
  silent: row('provider_timeout', 'next', 'retry'),
  rate_limited: row('provider_rate_limited', 'next', 'wait', [429]),
  wrong_key: row('provider_rejected', 'next', 'fail', [401, 403]),
  no_credit: row('provider_rejected', 'next', 'fail', [402]),
  unknown_model: row('provider_rejected', 'next', 'fail', [404]),
  bad_request: row('provider_rejected', 'next', 'fail'),
  too_slow: row('provider_timeout', 'same', 'retry'),
  cut_off: row('provider_incomplete', 'same', 'retry'),
  empty: row('provider_incomplete', 'same', 'retry'),
  too_long: row('provider_incomplete', 'same', 'fail'),
  refused: row('provider_refused', 'same', 'fail'),
} as const

export type FailureKind = keyof typeof FAILURES

function row(
  code: GenerationErrorCode,
  next: 'next' | 'same',
  otherwise: 'retry' | 'wait' | 'fail',
  statuses: readonly number[] = [],
) {
  return { code, next: next === 'next', otherwise, statuses }
}

/** Whether the next provider is called after this failure. */
export const callsNext = ({ options }: ProviderError): boolean =>
  options.kind !== undefined && FAILURES[options.kind].next

/** Of the failures of all providers the one that leaves most to hope for: waiting, then a retry, then none. */
export const mostHopeful = (failures: readonly ProviderError[]): ProviderError | undefined => {
  const rank = ({ options }: ProviderError) =>
    ['wait', 'retry', 'fail'].indexOf(
      options.kind === undefined ? 'fail' : FAILURES[options.kind].otherwise,
    )
  return failures.toSorted((a, b) => rank(a) - rank(b))[0]
}

export const kindOfStatus = (status: number): FailureKind => {
  const kinds = Object.keys(FAILURES) as FailureKind[]
  const found = kinds.find(kind => FAILURES[kind].statuses.includes(status))
  return found ?? (status >= 500 ? 'server_error' : 'bad_request')
}

/** The error of a failure. `message`: what happened. The next step of the client is added to it. */
export const providerError = (
  kind: FailureKind,
  message: string,
  options: Pick<ProviderError['options'], 'retryAfterMs' | 'providerText'> = {},
): ProviderError => {
  const { code, otherwise } = FAILURES[kind]
  return new ProviderError(code, `${message} ${ADVICE[kind] ?? 'Retry it later.'}`, {
    kind,
    found: message,
    ...options,
    ...(otherwise === 'fail' && { final: true }),
  })
}

/** No response. `cause` is the error of the connection. */
export const noConnection = (cause: unknown): ProviderError =>
  isUntrusted(cause)
    ? providerError('untrusted', 'No trusted authority has issued the certificate of the provider.')
    : providerError('unreachable', 'The provider cannot be reached.')

const OPERATOR = 'Ask the operator of Arden to check its key, model and credit.'
const ADVICE: { [kind in FailureKind]?: string } = {
  untrusted: 'Ask the operator of Arden to check it.',
  wrong_key: OPERATOR,
  no_credit: OPERATOR,
  unknown_model: OPERATOR,
  bad_request: OPERATOR,
  too_long: 'Ask for a shorter article in the instructions.',
  refused: 'Change the keyword or the instructions.',
}

/** A response with a status other than 2xx. `providerText` is for the log: it can contain the operator's account. */
export const statusError = (
  status: number,
  options: Pick<ProviderError['options'], 'retryAfterMs' | 'providerText'>,
  kind: FailureKind = kindOfStatus(status),
): ProviderError => {
  if (kind === 'rate_limited')
    return providerError(kind, 'The provider responded with 429: its rate limit is exceeded.')
  if (kind === 'refused') return refused()
  if (FAILURES[kind].otherwise === 'fail')
    return providerError(kind, `The provider rejected the request (${status}).`, options)
  return providerError(kind, `The provider responded with ${status}.`, options)
}

export const refused = (): ProviderError =>
  providerError('refused', 'The provider refused to write about this.')

export const cutAtLimit = (maxTokens: number): ProviderError =>
  providerError(
    'too_long',
    `The response of the provider was cut off: it is longer than the ${maxTokens} tokens that are permitted.`,
  )
