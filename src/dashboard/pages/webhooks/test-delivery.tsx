import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import type { Delivery } from '../../../webhooks/deliveries/schema'
import type { DeliveryPage } from '../../deliveries/routes'
import { useChange, useDashboard } from '../api/queries'
import { Timeline } from '../deliveries/timeline'
import { Status } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { toastError } from '../kit/controls/toast'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'

type Props = { webhookId: string; onSent: (delivery: Delivery) => void }

export const SendTest = ({ webhookId, onSent }: Props) => {
  const send = useChange<Delivery>('deliveries')
  return (
    <Button
      variant="primary"
      busy={send.isPending}
      onClick={() =>
        send.mutate(
          { method: 'POST', path: `/v1/webhooks/${webhookId}/test` },
          { onSuccess: onSent, onError: error => toastError('Test not sent', error) },
        )
      }
    >
      {!send.isPending && <FlaskConical aria-hidden className="size-4" />}
      Send test
    </Button>
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
      title="Test delivery"
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
