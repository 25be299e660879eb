/**
 * One attempt of a delivery, whoever calls for it: a Temporal activity, or the dispatcher itself in the lane
 * for volume. What must be done is told by the delivery's row alone, so that it can be called again at
 * any time, and by a second worker while the first still runs.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Sql, withTimeout } from '../../db/connect'
import type { Log } from '../../log'
import type { Meter } from '../../metrics/meter'
import type { PublishChange } from '../../notifications/changes'
import { inSpan, setSpanError } from '../../tracing/span'
import { disableIfFailing } from '../endpoints/auto-disable'
import { returnToOutbox } from '../endpoints/pause'
import { WEBHOOK_DISABLED } from '../events/record'
import { EARLY_TOLERANCE_MS, RECORDING_ALLOWANCE_MS } from '../retry-schedule'
import type { Cipher } from '../signing/encryption'
import { attemptHeaders } from '../signing/headers'
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
  /** A webhook that has failed for so long is disabled; 0 for never. */
  disableAfterDays: number
  /** Tells the open dashboards. */
  publishChange: PublishChange
  /** Called when more has come due, such as a workflow to start: it wakes the dispatchers. */
  committed: () => void
}

export type SendRequest = {
  deliveryId: string
  run: number
  /** An outcome that an earlier call could not record: it is recorded first. */
  unrecorded?: AttemptOutcome
}

/** Where the delivery stands after the call. `host` is the receiver's. */
export type SendResult =
  | (DeliveryState & { host: string })
  /** Another run owns the delivery, or retention has deleted it: nothing is left to do. */
  | 'not ours'
  /** Nothing is sent to the webhook for now: the delivery waits in the outbox, for another run. */
  | 'paused'

/** A failure of our own: no attempt was made, or its outcome could not be recorded (contract 5.4). */
export class InfrastructureError extends Error {
  override name = 'NotCounted'
  constructor(
    cause: unknown,
    readonly unrecorded?: AttemptOutcome,
    /** Where it stood before, if it was loaded. */
    readonly delivery?: DeliveryState,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** How often and for how long recording is tried, in ms; the rest of the allowance is for loading. */
const RECORD_AGAIN_MS = 500
const RECORD_FOR_MS = RECORDING_ALLOWANCE_MS * 0.6
const LOAD_FOR_MS = RECORDING_ALLOWANCE_MS * 0.2

/**
 * Makes the attempt that is due now, if one is, and answers where the delivery stands. Sends nothing when
 * the delivery is final, not of this `run`, or when its next attempt is not due: so an attempt that was
 * recorded is never sent twice.
 * @throws {InfrastructureError} for a failure of our own; the reason of `signal` when that ended the request.
 */
export const send = async (
  deps: SendDeps,
  request: SendRequest,
  signal: AbortSignal,
): Promise<SendResult> => {
  const { deliveryId, run, unrecorded } = request
  if (unrecorded !== undefined) await record(deps, deliveryId, unrecorded)
  const delivery = await load(deps.sql, deliveryId)
  if (delivery === undefined || delivery.run !== run) return 'not ours'
  if (
    delivery.status !== 'RETRYING' ||
    delivery.waitMs <= 0 ||
    delivery.waitMs > EARLY_TOLERANCE_MS
  )
    return sendDelivery(deps, delivery, signal)
  // It may be paused or final by then, so it is loaded anew.
  await sleep(delivery.waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  return send(deps, { deliveryId, run }, signal)
}

/** The same for a delivery that was loaded at this moment. Of an ordered webhook, the next goes at once. */
export const sendDelivery = async (
  deps: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<Exclude<SendResult, 'not ours'>> => {
  const standing = await sendDue(deps, delivery, signal)
  if (delivery.ordered && standing !== 'paused' && standing.status !== 'RETRYING') deps.committed()
  return standing
}

const sendDue = async (
  deps: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<Exclude<SendResult, 'not ours'>> => {
  const { id: deliveryId, run } = delivery
  const { host } = new URL(delivery.url)
  if (delivery.status !== 'RETRYING' || delivery.waitMs > 0) return { ...delivery, host }
  const reason = whyNotSent(delivery)
  if (reason !== undefined) {
    const end = deps.recorder.end({ deliveryId, run, reason })
    await withTimeout(end, RECORD_FOR_MS).catch(error => {
      throw new InfrastructureError(error, undefined, delivery)
    })
    deps.meter.recordDelivery('FAILED')
    deps.publishChange(delivery, 'deliveries')
    return { ...delivery, status: 'FAILED', error: reason, host }
  }
  if (delivery.paused) {
    await withTimeout(returnToOutbox(deps.sql, deliveryId, run), RECORD_FOR_MS).catch(error => {
      throw new InfrastructureError(error, undefined, delivery)
    })
    return 'paused'
  }
  const attributes = {
    ...deliveryIds(deliveryId, delivery),
    attempt: delivery.attemptCount + 1,
    'server.address': host,
  }
  const outcome = await inSpan('attempt', { kind: 'CLIENT', attributes }, async span => {
    const outcome = await attempt(deps, delivery, signal)
    const { httpStatus } = outcome
    if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus)
    if (outcome.error !== null) setSpanError(span, String(httpStatus ?? 'no answer'))
    return outcome
  })
  const state = await record(deps, deliveryId, outcome, delivery)
  deps.publishChange(delivery, 'deliveries')
  // What goes wrong here is made good by its next delivery that fails.
  if (state?.status === 'FAILED' && delivery.failing)
    await disableIfFailing(deps.sql, delivery.webhookId, deps.disableAfterDays).catch(() => {})
  return { ...(state ?? (await load(deps.sql, deliveryId)) ?? delivery), host }
}

const whyNotSent = (delivery: DeliveryToSend) => {
  if (delivery.deleted) return 'the webhook was deleted'
  // The test endpoint sends to a disabled webhook too (contract 4.11).
  if (!delivery.enabled && !delivery.test) return WEBHOOK_DISABLED
  return undefined
}

/** Uses the URL and the secret of this moment (contract 5.9). */
const attempt = async (
  { cipher, post, rules }: SendDeps,
  delivery: DeliveryToSend,
  signal: AbortSignal,
): Promise<AttemptOutcome> => {
  const at = new Date()
  const url = new URL(delivery.url)
  try {
    const headers = attemptHeaders({
      deliveryId: delivery.id,
      eventType: delivery.eventType,
      body: delivery.body,
      secrets: signingSecrets(cipher, delivery.webhookId, delivery, at),
      at,
    })
    const began = performance.now()
    const outcome = await post({
      url,
      resolve: end => resolveAddress(url, rules, end),
      headers,
      body: delivery.body,
      signal,
    })
    return {
      ...outcome,
      attemptId: randomUUID(),
      startedAt: at.toISOString(),
      durationMs: Math.round(performance.now() - began),
      requestUrl: delivery.url,
      requestHeaders: headers,
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new InfrastructureError(error, undefined, delivery)
  }
}

const load = (sql: Sql, id: string) =>
  withTimeout(loadDelivery(sql, id), LOAD_FOR_MS).catch(error => {
    throw new InfrastructureError(error)
  })

/** Tries for a while: what is lost here is sent again. */
export const record = async (
  deps: SendDeps,
  id: string,
  outcome: AttemptOutcome,
  delivery?: DeliveryToSend,
): Promise<DeliveryState | undefined> => {
  const giveUp = performance.now() + RECORD_FOR_MS
  for (;;) {
    try {
      const left = giveUp - performance.now()
      const attempted = { deliveryId: id, outcome, isAwaited: delivery?.ordered ?? false }
      const state = await deps.recorder.attempt(attempted, left)
      if (state !== undefined) tell(deps, id, outcome, state)
      return state
    } catch (error) {
      if (performance.now() + RECORD_AGAIN_MS > giveUp)
        throw new InfrastructureError(error, outcome, delivery)
      await sleep(RECORD_AGAIN_MS)
    }
  }
}

/** Of an attempt that is recorded now, and of no other. Names no URL and nothing of the answer's body. */
const tell = (
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

/** How each log line about a delivery names it. */
export const deliveryIds = (id: string, state?: DeliveryState) => ({
  delivery_id: id,
  ...(state && { event_id: state.eventId, webhook_id: state.webhookId }),
})
