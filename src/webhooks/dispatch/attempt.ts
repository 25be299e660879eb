/**
 * One attempt of a delivery, made by a workflow (workflow-attempt.ts) or by a lane. The row of the delivery alone
 * decides what to do, so it can be called again at any time, also by a second worker while the first still runs.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable, type Sql, withTimeout } from '../../db/connect'
import type { Log } from '../../log'
import type { Meter } from '../../metrics/meter'
import type { PublishChange } from '../../notifications/changes'
import { inSpan, setSpanError } from '../../tracing/span'
import { disableIfFailing } from '../endpoints/auto-disable'
import { WEBHOOK_DISABLED } from '../events/record'
import { startRunAgain } from '../queue/changes'
import { RECORDING_ALLOWANCE_MS } from '../retry-schedule'
import type { Cipher } from '../signing/encryption'
import { decryptHeaders } from '../signing/header-values'
import { attemptHeaders, signAttempt } from '../signing/headers'
import { signingSecrets } from '../signing/secret'
import { type AddressRules, resolveAddress } from '../transport/address'
import type { Post } from '../transport/post'
import type { Recorder } from './recorder'
import { type AttemptOutcome, type DeliveryState, type DeliveryToSend, loadDelivery } from './store'

export type SendDeps = {
  sql: Sql
  recorder: Recorder
  cipher: Cipher
  post: Post
  rules: AddressRules
  log: Log
  meter: Meter
  /** Days of failures after which a webhook is disabled; 0 for never (contract 4.13). */
  disableAfterDays: number
  /** Whether owners then get an email. */
  sendsMail: boolean
  /** Notifies open dashboards. */
  publishChange: PublishChange
  /** Called when more has come due, such as a workflow to start: it wakes the dispatchers. */
  committed: () => void
}

/** The state of the delivery after the attempt. `host` is that of the receiver. */
export type SendResult =
  | (DeliveryState & { host: string })
  /** The webhook is paused: the delivery waits in the queue for another run. */
  | 'paused'

/** A failure of Arden's own parts, not an attempt: nothing was sent, or the outcome was not recorded (contract 5.4). */
export class InfrastructureError extends Error {
  override name = 'InfrastructureError'
  constructor(
    cause: unknown,
    readonly unrecorded?: AttemptOutcome,
    /** The state of the delivery before, if it was loaded. */
    readonly delivery?: DeliveryState,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Pause between tries to record, in ms. */
const RECORD_RETRY_MS = 500
/** Shares of the allowance for recording and for loading, in ms. */
const RECORD_TIMEOUT_MS = RECORDING_ALLOWANCE_MS * 0.6
const LOAD_TIMEOUT_MS = RECORDING_ALLOWANCE_MS * 0.2

/**
 * Makes the attempt of a delivery that was just loaded, if one is due, and returns its state. Sends nothing when it is
 * final or not due. When it becomes final, the next of an ordered webhook is due.
 * @throws {InfrastructureError}; the reason of `signal` when that aborts.
 */
export const sendDelivery = async (
  deps: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<SendResult> => {
  const result = await sendDue(deps, delivery, signal)
  if (delivery.ordered && result !== 'paused' && result.status !== 'RETRYING') deps.committed()
  return result
}

const sendDue = async (
  deps: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<SendResult> => {
  const { id: deliveryId, run } = delivery
  const { host } = new URL(delivery.url)
  if (delivery.status !== 'RETRYING' || delivery.waitMs > 0) return { ...delivery, host }
  // Deleting ends what waits at once, disabling a paused webhook when it is resumed (contract 4.12).
  if (delivery.paused && !delivery.deleted) {
    await returnToQueue(deps, delivery)
    return 'paused'
  }
  const reason = reasonNotToSend(delivery)
  if (reason !== undefined) {
    const failing = deps.recorder.failDelivery({ deliveryId, run, reason })
    const hasFailed = await withTimeout(failing, RECORD_TIMEOUT_MS).catch(error => {
      throw new InfrastructureError(error, undefined, delivery)
    })
    // Final by another worker, or of another run.
    if (!hasFailed) return { ...((await load(deps.sql, deliveryId)) ?? delivery), host }
    deps.meter.recordDelivery('FAILED')
    deps.publishChange(delivery, 'deliveries')
    return { ...delivery, status: 'FAILED', error: reason, host }
  }
  const attributes = {
    ...deliveryIds(deliveryId, delivery),
    attempt: delivery.attemptCount + 1,
    'server.address': host,
  }
  const outcome = await inSpan('attempt', { kind: 'CLIENT', attributes }, async span => {
    const outcome = await post(deps, delivery, signal)
    const { httpStatus } = outcome
    if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus)
    if (outcome.error !== null) setSpanError(span, String(httpStatus ?? 'no response'))
    return outcome
  })
  const state = await recordOutcome(deps, deliveryId, outcome, delivery)
  deps.publishChange(delivery, 'deliveries')
  // An error here does not matter: the next failed delivery of the webhook tries again.
  if (state?.status === 'FAILED' && delivery.failing) {
    const isDisabled = await disableIfFailing(deps.sql, delivery.webhookId, {
      afterDays: deps.disableAfterDays,
      sendsMail: deps.sendsMail,
    }).catch(() => false)
    if (isDisabled) deps.publishChange(delivery, 'webhooks', 'audit')
  }
  return { ...(state ?? (await load(deps.sql, deliveryId)) ?? delivery), host }
}

/** The next attempt is made by another run, when a dispatcher or a lane has claimed it. */
export const returnToQueue = ({ sql }: SendDeps, delivery: DeliveryToSend): Promise<void> =>
  withTimeout(startRunAgain(sql, delivery), RECORD_TIMEOUT_MS).catch(error => {
    throw new InfrastructureError(error, undefined, delivery)
  })

/** The error of a delivery that ends without another attempt (contract 5.11). */
const reasonNotToSend = (delivery: DeliveryToSend) => {
  if (delivery.deleted) return 'the webhook was deleted'
  // Contract 4.11: test deliveries are sent while the webhook is disabled.
  if (!delivery.enabled && !delivery.test) return WEBHOOK_DISABLED
  return undefined
}

/** Signs and sends, with the current URL, secret and custom headers (contract 5.9, 4.16). */
const post = async (
  deps: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<AttemptOutcome> => {
  const at = new Date()
  const url = new URL(delivery.url)
  try {
    const attempt = { deliveryId: delivery.id, eventType: delivery.eventType, at }
    const secrets = signingSecrets(deps.cipher, delivery.webhookId, delivery, at)
    const custom = decryptHeaders(deps.cipher, delivery.webhookId, delivery.headers)
    const signatures = signAttempt({ ...attempt, body: delivery.body, secrets })
    const start = performance.now()
    const outcome = await deps.post({
      accountId: delivery.accountId,
      url,
      resolve: (deadline, lookup) => resolveAddress(url, deps.rules, deadline, lookup),
      headers: { ...custom, ...attemptHeaders(attempt, signatures) },
      body: delivery.body,
      signal,
    })
    return {
      ...outcome,
      attemptId: randomUUID(),
      run: delivery.run,
      attempt: delivery.attemptCount + 1,
      startedAt: at.toISOString(),
      durationMs: Math.round(performance.now() - start),
      requestUrl: delivery.url,
      signatures: signatures.toString('base64'),
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new InfrastructureError(error, undefined, delivery)
  }
}

/** @throws {InfrastructureError} */
export const load = (sql: Sql, id: string): Promise<DeliveryToSend | undefined> =>
  withTimeout(loadDelivery(sql, id), LOAD_TIMEOUT_MS).catch(error => {
    throw new InfrastructureError(error)
  })

/** Records an outcome, with retries for a few seconds: an outcome that is lost is sent again. */
export const recordOutcome = async (
  deps: SendDeps,
  id: string,
  outcome: AttemptOutcome,
  delivery?: DeliveryToSend,
): Promise<DeliveryState | undefined> => {
  const end = performance.now() + RECORD_TIMEOUT_MS
  for (;;) {
    try {
      const left = end - performance.now()
      const result = { deliveryId: id, outcome, isAwaited: delivery?.ordered ?? false }
      const state = await deps.recorder.recordAttempt(result, left)
      if (state !== undefined) logAttempt(deps, id, outcome, state)
      return state
    } catch (error) {
      if (performance.now() + RECORD_RETRY_MS > end)
        throw new InfrastructureError(error, outcome, delivery)
      await sleep(RECORD_RETRY_MS)
    }
  }
}

/** Called once per recorded attempt. The log has no URL and no response body (contract 5.18). */
const logAttempt = (
  { log, meter }: SendDeps,
  id: string,
  outcome: AttemptOutcome,
  state: DeliveryState,
) => {
  const { httpStatus, durationMs } = outcome
  meter.recordAttempt({ delivered: outcome.error === null, httpStatus, seconds: durationMs / 1000 })
  if (state.status !== 'RETRYING') meter.recordDelivery(state.status)
  if (!log.isLevelEnabled('debug')) return
  log.debug(
    {
      ...deliveryIds(id, state),
      attempt: state.attemptCount,
      http_status: httpStatus,
      ms: durationMs,
      status: state.status,
    },
    'attempt recorded',
  )
}

/**
 * Counts an infrastructure error and logs it, except while the database is unavailable: that has a log line of its
 * own, once.
 */
export const logInfrastructureError = (
  { log, meter }: SendDeps,
  deliveryId: string,
  error: unknown,
  delivery?: DeliveryState,
): void => {
  const cause = error instanceof InfrastructureError ? error.cause : error
  meter.recordInfrastructureError()
  if (isDatabaseUnavailable(cause)) return
  log.error(
    {
      ...deliveryIds(deliveryId, delivery),
      attempt: delivery && delivery.attemptCount + 1,
      err: cause,
    },
    'an attempt could not be made or recorded',
  )
}

/** The ids in every log line about a delivery. */
const deliveryIds = (id: string, state?: DeliveryState) => ({
  delivery_id: id,
  ...(state && { event_id: state.eventId, webhook_id: state.webhookId }),
})
