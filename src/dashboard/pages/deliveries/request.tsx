import type { DeliveryDetail } from '../../../webhooks/deliveries/schema'
import { STOPPED } from '../../../webhooks/deliveries/stopped'
import { Code } from '../kit/controls/copy'
import { SentText } from './text'

const isSignature = (header: string) => header.toLowerCase().endsWith('-signature')

type Props = { of: Pick<DeliveryDetail, 'request' | 'status' | 'error'> }

/** The last request, byte for byte. */
export const SentRequest = ({ of: { request, status, error } }: Props) => {
  if (request === null)
    return (
      <p className="p-4 text-sm text-muted">
        {status === 'RETRYING'
          ? 'The request is shown when the first attempt has ended.'
          : error === STOPPED
            ? 'No request was recorded. One that was under way when the workflow was stopped is not.'
            : 'No request was sent.'}
      </p>
    )
  const headers = Object.entries(request.headers)
  return (
    <div className="space-y-4 p-4">
      <p className="flex min-w-0 items-baseline gap-2 font-mono text-xs">
        <span className="font-semibold text-accent">POST</span>
        <Code wrap>{request.url}</Code>
      </p>
      <div>
        <h3 className="mb-1.5 text-xs font-medium text-muted">Headers</h3>
        <dl className="divide-y divide-line rounded-lg border border-line bg-sunken font-mono text-xs">
          {headers.map(([name, value]) => (
            <div key={name} className="flex flex-wrap gap-x-3 px-3 py-1.5">
              <dt className="w-48 shrink-0 text-muted">{name}</dt>
              <dd className={isSignature(name) ? 'break-all text-accent' : 'break-all'}>{value}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-1.5 text-xs text-muted">
          X-Webhook-Signature is the HMAC-SHA256 of exactly this body, with the webhook’s secret as
          the key. Custom headers of the webhook are sent with these, and not shown.
        </p>
      </div>
      <div>
        <h3 className="mb-1.5 text-xs font-medium text-muted">Body</h3>
        <SentText label="request body">{request.body}</SentText>
      </div>
    </div>
  )
}
