import { newId } from '../ids'
import { RESPONSE_TIMEOUT_MS } from '../webhooks/retry-schedule'
import { attemptHeaders } from '../webhooks/signing/headers'
import type { Followed } from './follow'

export type Forwarded = {
  delivery_id: string
  ms: number
  status: number | null
  error: string | null
}

/** Sends an event on as a delivery would be sent: the same body, headers and signature. One attempt. */
export const forward = async (
  to: string,
  { body, envelope }: Followed,
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> => {
  const delivery_id = newId('dlv')
  const began = performance.now()
  const ended = (status: number | null, error: string | null) => ({
    delivery_id,
    ms: Math.round(performance.now() - began),
    status,
    error,
  })
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers: attemptHeaders({
        deliveryId: delivery_id,
        eventType: envelope.event,
        body,
        secrets: { current: secret, previous: null },
        at: new Date(),
      }),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return ended(response.status, null)
  } catch (error) {
    return ended(null, error instanceof Error ? error.message : String(error))
  }
}
