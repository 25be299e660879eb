import type { DeliveryDetail } from '@arden/sdk'
import { RESPONSE_TIMEOUT_MS } from '../../webhooks/retry-schedule'

/** What a delivery that is not final does now, or waits for, as a clause (contract 5.3). */
export const describeWait = (
  { progress, waits_for, next_attempt_at }: DeliveryDetail,
  isWebhookDeleted: boolean,
): string =>
  ({
    under_way: `its request is under way, for at most ${RESPONSE_TIMEOUT_MS / 1000} s.`,
    disabled: isWebhookDeleted
      ? 'the webhook was deleted, so it fails instead of its next attempt.'
      : 'the webhook is disabled, so it fails instead of its next attempt; while the webhook is paused, when it is resumed. Enable the webhook first to have it sent.',
    all_paused:
      'an operator has paused all deliveries. It is sent when they are resumed; nothing is lost.',
    paused: 'the webhook is paused. It is sent when the webhook is resumed; nothing is lost.',
    secret:
      'Arden cannot decrypt the secret of the webhook, or a custom header. It is sent when the secret is rotated (arden webhooks rotate-secret) and the headers are set again; nothing is lost.',
    order: `the webhook gets events in order, and ${waits_for} has to end first.`,
    no_worker:
      'no worker is running. It is sent when an operator starts one; nothing is lost. `arden doctor` says more.',
    scheduled: `its next attempt is at ${next_attempt_at}.`,
    temporal_away:
      'Temporal, which carries the deliveries, does not respond. It is sent when Temporal is available again; nothing is lost. `arden doctor` says more.',
    late: 'its attempt is overdue: the workers are busy, or a worker or its workflow was stopped. Arden notices that within two minutes; nothing is lost.',
    slow_webhook:
      'its next attempt is due. The webhook responds slowly, so it gets one delivery at a time.',
    turn: 'its next attempt is due, and waits for its turn: accounts and webhooks share the capacity equally.',
  })[progress ?? 'turn']
