import type { Webhook } from '../../../webhooks/endpoints/schema'
import { Status } from '../kit/controls/badge'

/** The status of a webhook. */
export const WebhookState = ({
  of: { enabled, paused },
}: {
  of: Pick<Webhook, 'enabled' | 'paused'>
}) => (
  <span className="inline-flex flex-wrap gap-1">
    <Status of={enabled ? 'enabled' : 'disabled'} />
    {paused && <Status of="paused" />}
  </span>
)
