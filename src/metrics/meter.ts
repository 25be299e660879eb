/**
 * What the parts of Arden count, as they tell it: they know nothing of Prometheus. Nothing that names an
 * account, a key, a URL or an id may be passed here, for all of it becomes labels.
 */
export type Meter = {
  /** A request was answered. `route` is the template, `/articles/:id`, never the path itself. */
  recordRequest: (request: {
    method: string
    route: string
    status: number
    seconds: number
  }) => void
  /** What the gate made of a request's key: accepted, limited, or why it was refused. */
  recordAdmission: (outcome: string) => void
  /** Temporal has it; `lagSeconds` after it was committed, where that can be told. */
  recordHandOver: (table: string, lagSeconds: number | undefined) => void
  /** Temporal could not be told. */
  recordFailedHandOver: (table: string) => void
  /** An attempt that was recorded. `httpStatus` is null where no answer came. */
  recordAttempt: (attempt: {
    delivered: boolean
    httpStatus: number | null
    seconds: number
  }) => void
  /** A failure of our own: no attempt was made, or it could not be recorded. */
  recordInfrastructureError: () => void
  /** A delivery is final. */
  recordDelivery: (status: 'DELIVERED' | 'FAILED') => void
  /** A generation is final, that a worker had in hand. */
  recordGeneration: (status: 'COMPLETED' | 'FAILED' | 'CANCELLED') => void
}

/** For a process that nobody measures. */
export const noMeter: Meter = {
  recordRequest: () => {},
  recordAdmission: () => {},
  recordHandOver: () => {},
  recordFailedHandOver: () => {},
  recordAttempt: () => {},
  recordInfrastructureError: () => {},
  recordDelivery: () => {},
  recordGeneration: () => {},
}
