import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'

type Failure = { http_status: number | null; error: string | null }

/** What the owner of a receiver does about a failed attempt, or about a delivery that ended without one. For people and agents. */
export const adviseOn = ({ http_status, error }: Failure): string => {
  const text = error ?? ''
  for (const [pattern, advice] of BY_ERROR) if (pattern.test(text)) return advice
  if (http_status !== null && text.includes(String(http_status))) return byStatus(http_status)
  return 'Check the receiver and its log.'
}

/** The same for a delivery with an error. A redelivery is the last step of a failed one, while its webhook is there. */
export const adviseOnDelivery = (
  delivery: Failure & { status: string },
  isWebhookDeleted: boolean,
): string => {
  if (isWebhookDeleted) return 'Its webhook was deleted, so it cannot be sent again.'
  return delivery.status === 'FAILED'
    ? `${adviseOn(delivery)} Then redeliver it.`
    : adviseOn(delivery)
}

const BY_ERROR: readonly (readonly [RegExp, string])[] = [
  // First: its text has a URL of the receiver.
  [
    /^redirects/,
    'Arden follows no redirects. Set the URL of the webhook to where the redirect leads.',
  ],
  [
    /timed out/,
    `The receiver has ${RESPONSE_TIMEOUT_MS / 1000} s to respond. Make it respond with 200 first and do its work afterwards; if it got no request, a firewall drops it.`,
  ],
  [
    /connection reset/,
    'The receiver, or a proxy before it, closed the connection without a response. Check its log, and that http or https of the URL is what it speaks on this port.',
  ],
  [
    /connection refused|unreachable/,
    'Nothing accepts the connection: start the receiver, and check its port and firewall.',
  ],
  [/not public/, 'Arden sends to public addresses only. Use a host name that resolves to one.'],
  [
    /only https/,
    'Nothing was sent: the operator of Arden no longer permits http URLs. Serve the receiver with TLS, and set the URL of the webhook to it.',
  ],
  [/more than \d+ addresses/, 'Nothing was sent. Use a host name that has fewer addresses.'],
  [
    /does not speak TLS/,
    'The receiver responds without TLS. Check scheme and port of the URL, and that the receiver serves https there.',
  ],
  [/not valid HTTP/, 'What listens on this port is not an HTTP server. Check the port of the URL.'],
  [
    /^TLS/,
    'The certificate of the receiver is refused: it must be issued by a public authority, not self-signed, valid for the host name, not expired, and sent with its intermediate certificates.',
  ],
  [
    /does not resolve/,
    'The host name of the URL does not resolve. Check its spelling and its DNS.',
  ],
  [
    /(cancelled|stopped) in Temporal/,
    'An operator of Arden, not the receiver, ended it. Ask the operator before you send it again.',
  ],
  [/webhook is disabled/, 'The webhook was disabled at that time. Enable it, if it still is.'],
]

const byStatus = (status: number): string => {
  if (status === 401 || status === 403)
    return 'The receiver refused the request. Usually it verifies the signature with another secret (after a rotation, that of another webhook, or the hexadecimal form where a library of Standard Webhooks needs the one with whsec_) or over a parsed body instead of the raw one, or a proxy in front of it asks for a login.'
  if (status === 404 || status === 405 || status === 410)
    return 'The receiver has no POST route at this path. Check the URL of the webhook and the routes of the receiver.'
  if (status === 413)
    return 'The receiver, or a proxy before it, permits smaller bodies only. Raise its limit.'
  if (status === 429) return 'The receiver limits its requests. Raise its limit for Arden.'
  if (status >= 500)
    return 'The receiver failed while it handled the request. Its log says why: look for the header X-Webhook-Delivery-Id.'
  return 'The receiver rejected the event. Its response says why.'
}
