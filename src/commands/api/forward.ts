import type { StreamedEvent } from '@arden/sdk'
import { newId } from '../../ids'
import { RESPONSE_TIMEOUT_MS } from '../../webhooks/retry-schedule'
import { signedHeaders } from '../../webhooks/signing/headers'
import { describeFetchError } from '../fetch-error'

export type ForwardResult = {
  delivery_id: string
  ms: number
  status: number | null
  error: string | null
}

/** The URL of a target without its scheme, such as `localhost:4000/hook`, or of a port of this machine, such as `4000`. */
export const forwardUrl = (target: string): string => {
  // As a host, a number is an IPv4 address: 4000 is 0.0.15.160.
  if (/^\d+(\/|$)/.test(target)) return `http://localhost:${target}`
  return /^[\w.-]+(:\d+)?(\/|$)/.test(target) ? `http://${target}` : target
}

/** POSTs an event to `url` as one attempt of a delivery: with the same body, headers and signature. */
export const forward = async (
  url: string,
  { event, body }: { event: Pick<StreamedEvent['event'], 'event'>; body: string },
  secret: string,
  signal: AbortSignal,
): Promise<ForwardResult> => {
  const delivery_id = newId('dlv')
  const sentAt = performance.now()
  const forwarded = (status: number | null, error: string | null) => ({
    delivery_id,
    ms: Math.round(performance.now() - sentAt),
    status,
    error,
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: signedHeaders({
        deliveryId: delivery_id,
        eventType: event.event,
        body,
        secrets: { current: secret, previous: [] },
        at: new Date(),
      }),
      body,
      redirect: 'manual',
      // A connection that the program has just closed would lose the event: uvicorn closes one without saying so when a
      // handler raises.
      keepalive: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return forwarded(response.status, null)
  } catch (error) {
    return forwarded(null, describeFetchError(error))
  }
}
