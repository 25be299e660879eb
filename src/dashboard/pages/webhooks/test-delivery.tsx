import { Link } from '@tanstack/react-router'
import { ChevronDown, FlaskConical } from 'lucide-react'
import type { Delivery } from '../../../webhooks/deliveries/schema'
import { EVENT_TYPES, type EventType } from '../../../webhooks/events/types'
import type { DeliveryPage } from '../../deliveries/routes'
import { useChange, useDashboard } from '../api/queries'
import { Timeline } from '../deliveries/timeline'
import { Status } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { Menu, MenuItem } from '../kit/controls/menu'
import { toastError } from '../kit/controls/toast'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'

type Props = { webhookId: string; onSent: (delivery: Delivery) => void }

/** Sends a test delivery: of the server's default type, or of the one that is chosen in the menu. */
export const SendTest = ({ webhookId, onSent }: Props) => {
  const change = useChange<Delivery>('deliveries')
  const send = (event?: EventType) =>
    change.mutate(
      {
        method: 'POST',
        path: `/v1/webhooks/${webhookId}/test`,
        ...(event && { body: { event } }),
      },
      { onSuccess: onSent, onError: error => toastError('Test not sent', error) },
    )
  return (
    <span className="flex">
      <Button
        variant="primary"
        busy={change.isPending}
        onClick={() => send()}
        className="rounded-r-none"
      >
        {!change.isPending && <FlaskConical aria-hidden className="size-4" />}
        Send test
      </Button>
      <Menu
        label="Event type of the test"
        trigger={
          <Button
            variant="primary"
            disabled={change.isPending}
            aria-label="Choose the event type of the test"
            className="rounded-l-none border-l-white/30 px-1.5"
          >
            <ChevronDown aria-hidden className="size-4" />
          </Button>
        }
      >
        {EVENT_TYPES.map(type => (
          <MenuItem key={type} onClick={() => send(type)}>
            {type}
          </MenuItem>
        ))}
      </Menu>
    </span>
  )
}

/** A test delivery and its attempts, live. */
export const TestDelivery = ({ id, paused }: { id: string; paused: boolean }) => {
  const mode = useMode()
  const {
    data: delivery,
    error,
    refetch,
  } = useDashboard<DeliveryPage>('deliveries', `/deliveries/${id}`)
  return (
    <Card
      title={delivery === undefined ? 'Test delivery' : `Test delivery of ${delivery.event}`}
      actions={
        <span className="flex items-center gap-3">
          <Link
            to="/$mode/deliveries/$id"
            params={{ mode, id }}
            className="text-sm text-accent hover:underline"
          >
            View request
          </Link>
          {delivery && <Status of={delivery.status} />}
        </span>
      }
    >
      <Problem error={error} onRetry={refetch} className="m-4" />
      {paused && delivery?.status === 'RETRYING' && (
        <p className="px-4 pt-4 text-sm text-warn">
          The webhook is paused: the test is sent when it is resumed.
        </p>
      )}
      <div aria-live="polite">{delivery && <Timeline of={delivery} />}</div>
    </Card>
  )
}
