import type { WebhookHealth } from '../../../webhooks/endpoints/health'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { exactTime, Time } from '../kit/controls/time'
import { Card, Facts } from '../kit/layout/page'
import { sentence } from '../kit/sentence'
import { subscriptionTexts } from '../webhook-name/name'
import { WebhookState } from './state'

type Props = { of: Webhook; health: WebhookHealth | undefined }

/** The settings and the health of a webhook. */
export const WebhookFacts = ({ of: webhook, health }: Props) => (
  <Card title="Webhook" actions={<WebhookState of={webhook} />}>
    <div className="p-4">
      <Facts
        of={[
          ...(webhook.enabled
            ? []
            : [
                [
                  'Disabled',
                  <span key="why" className="text-bad">
                    {sentence(webhook.disabled_reason ?? 'no reason was given')}
                  </span>,
                ] as const,
              ]),
          [
            'URL',
            <Code key="url" wrap>
              {webhook.url}
            </Code>,
          ],
          ['Description', webhook.description ?? <span className="text-faint">none</span>],
          [
            'Events',
            <span key="events" className="flex flex-wrap gap-1">
              {subscriptionTexts(webhook.events).map(text => (
                <Badge key={text}>{text}</Badge>
              ))}
            </span>,
          ],
          ['Order', webhook.ordered ? 'In order, one at a time' : 'Any order'],
          ...(Object.keys(webhook.headers).length === 0
            ? []
            : [
                [
                  'Headers',
                  <span key="headers" className="flex flex-wrap gap-1">
                    {Object.keys(webhook.headers).map(name => (
                      <Badge key={name}>{name}</Badge>
                    ))}
                  </span>,
                ] as const,
              ]),
          [
            'Secret',
            health?.secret_lost ? (
              <span key="secret" className="text-bad">
                Lost: Arden cannot decrypt it, or a custom header. No deliveries are sent until you
                rotate the secret and set the headers again.
              </span>
            ) : health?.previous_secret_until == null ? (
              'Stored encrypted. To get a new one, rotate it.'
            ) : (
              <span key="secret" className="text-warn">
                Rotated. Earlier secrets are valid until {exactTime(health.previous_secret_until)}
              </span>
            ),
          ],
          ...(health?.failing_since == null
            ? []
            : [
                [
                  'Failing',
                  <span key="failing" className="text-bad">
                    Every delivery since {exactTime(health.failing_since)} has failed
                  </span>,
                ] as const,
              ]),
          ['Created', <Time key="created" at={webhook.created_at} />],
          [
            'ID',
            <Code key="id" wrap>
              {webhook.id}
            </Code>,
          ],
        ]}
      />
    </div>
  </Card>
)
