import { Link } from '@tanstack/react-router'
import type { DeliveryPage } from '../../deliveries/routes'
import type { EventPage } from '../../events/routes'
import { useDashboard } from '../api/queries'
import { SubjectLinks } from '../event-subjects/links'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { Time } from '../kit/controls/time'
import { Facts } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { nameOf } from '../webhook-name/name'

/** What a delivery is, and what became of it. */
export const Summary = ({ of: delivery }: { of: DeliveryPage }) => {
  const mode = useMode()
  const { receiver } = delivery
  const { data: event } = useDashboard<EventPage>('deliveries', `/events/${delivery.event_id}`)
  return (
    <Facts
      of={[
        [
          'ID',
          <Code key="id" wrap>
            {delivery.id}
          </Code>,
        ],
        [
          'Webhook',
          receiver === null || receiver.deleted ? (
            <span key="webhook" className="[overflow-wrap:anywhere]">
              {receiver === null ? delivery.webhook_id : nameOf(receiver)} (deleted)
            </span>
          ) : (
            <Link
              key="webhook"
              to="/$mode/webhooks/$id"
              params={{ mode, id: receiver.id }}
              title={receiver.url}
              className={`${INLINE_LINK} [overflow-wrap:anywhere]`}
            >
              <TwoLines>{nameOf(receiver)}</TwoLines>
            </Link>
          ),
        ],
        [
          'Event',
          <Link
            key="event"
            to="/$mode/events/$id"
            params={{ mode, id: delivery.event_id }}
            className={`${INLINE_LINK} font-mono text-xs break-all`}
          >
            {delivery.event_id}
          </Link>,
        ],
        ...(event === undefined
          ? []
          : [['Records', <SubjectLinks key="of" of={event} />] as const]),
        ['Created', <Time key="made" at={delivery.created_at} />],
        [
          'Delivered',
          <Time key="delivered" at={delivery.delivered_at} empty={notDelivered(delivery)} />,
        ],
        ['Attempts', delivery.attempt_count],
        ...(delivery.sequence === null
          ? []
          : [['Sequence number', <SequenceNumber key="sequence" of={delivery} />] as const]),
        ['Last response', delivery.http_status ?? 'none'],
        [
          'Workflow',
          delivery.workflow_id === null ? (
            <span key="workflow" className="text-muted">
              {delivery.status !== 'RETRYING'
                ? 'None. This delivery did not need one.'
                : delivery.attempt_count > 0
                  ? 'The next one is not started'
                  : 'Not started'}
            </span>
          ) : (
            <Code key="workflow" wrap>
              {delivery.workflow_id}
            </Code>
          ),
        ],
        ...(delivery.test ? [['Type', <Badge key="kind">test</Badge>] as const] : []),
      ]}
    />
  )
}

/** A redelivery clears the time of the delivery before it. */
const notDelivered = ({ status, attempts }: DeliveryPage): string => {
  if (status === 'FAILED') return 'no'
  return attempts.some(({ error }) => error === null) ? 'earlier, and is sent again' : 'not yet'
}

const SequenceNumber = ({ of: { sequence, status, follows_failed } }: { of: DeliveryPage }) => {
  const mode = useMode()
  return (
    <>
      {sequence}
      {follows_failed !== null && (
        <>
          , after{' '}
          <Link
            to="/$mode/deliveries/$id"
            params={{ mode, id: follows_failed }}
            className={`${INLINE_LINK} break-all`}
          >
            {follows_failed}
          </Link>
          , which failed
        </>
      )}
      {status === 'FAILED' && ', and later deliveries continued'}
    </>
  )
}
