/**
 * The metrics of Arden, independent of Prometheus. Never pass an account, a key, a URL or an id: all values
 * become labels.
 */
export type Meter = {
  /**
   * A request has its response. `route` is the template, such as `/articles/:id`, never the path.
   */
  recordRequest: (request: {
    method: string
    route: string
    status: number
    seconds: number
  }) => void
  /** Outcome of the key check: accepted, limited, or the reason of a 401. */
  recordAdmission: (outcome: string) => void
  /**
   * Failed requests that are not in the request log: its limit for an account is reached, or the memory, or the caller is
   * not known.
   */
  recordUnloggedRequests: (reason: 'limit' | 'memory' | 'caller', count: number) => void
  /** Temporal accepted a record, `lagSeconds` after its commit if that is known. */
  recordHandOver: (table: string, lagSeconds: number | undefined) => void
  /** Temporal did not accept a record. */
  recordFailedHandOver: (table: string) => void
  /** An attempt was recorded. `httpStatus` is null without a response. */
  recordAttempt: (attempt: {
    delivered: boolean
    httpStatus: number | null
    seconds: number
  }) => void
  /** An infrastructure error: no attempt was made, or it could not be recorded. */
  recordInfrastructureError: () => void
  /** A retry began, this long after it was due. */
  recordRetry: (lateSeconds: number) => void
  /** A delivery became final. */
  recordDelivery: (status: 'DELIVERED' | 'FAILED') => void
  /** A generation became final in a worker. */
  recordGeneration: (status: 'COMPLETED' | 'FAILED' | 'CANCELLED') => void
  /** The language model failed to write an article; it may be called again. `code`: as of a failed generation. */
  recordModelError: (code: string) => void
  /** An email left the queue: it was sent, its address was refused for good, or it expired before it could be sent. */
  recordEmail: (outcome: 'sent' | 'refused' | 'expired') => void
  /** A search of the SERP provider has no result. */
  recordSerpError: (reason: string) => void
  /** A provider responded with 429. `name`: which one. */
  recordRateLimited: (provider: LimitedProvider, name: string) => void
  /** Whether requests of this process to a provider are slowed down, after a 429. */
  recordProviderSlowed: (provider: LimitedProvider, name: string, isSlow: boolean) => void
}

export type LimitedProvider = 'language_model' | 'serp'

/** For a process without metrics. */
export const noMeter: Meter = {
  recordRequest: () => {},
  recordAdmission: () => {},
  recordUnloggedRequests: () => {},
  recordHandOver: () => {},
  recordFailedHandOver: () => {},
  recordAttempt: () => {},
  recordInfrastructureError: () => {},
  recordRetry: () => {},
  recordDelivery: () => {},
  recordGeneration: () => {},
  recordModelError: () => {},
  recordEmail: () => {},
  recordSerpError: () => {},
  recordRateLimited: () => {},
  recordProviderSlowed: () => {},
}
