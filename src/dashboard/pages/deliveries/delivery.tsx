import { useParams } from '@tanstack/react-router'
import { ExternalLink, RotateCcw } from 'lucide-react'
import type { Delivery } from '../../../webhooks/deliveries/schema'
import type { DeliveryPage } from '../../deliveries/routes'
import { useChange, useDashboard } from '../api/queries'
import { Status } from '../kit/controls/badge'
import { Button, buttonClass } from '../kit/controls/button'
import { toast, toastError } from '../kit/controls/toast'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { SentRequest } from './request'
import { Summary } from './summary'
import { Timeline } from './timeline'

export const Page = () => {
  const mode = useMode()
  const { id = '' } = useParams({ strict: false })
  const {
    data: delivery,
    error,
    refetch,
  } = useDashboard<DeliveryPage>('deliveries', `/deliveries/${id}`, { everyMs: untilAttempt })
  return (
    <Frame
      title={delivery?.event ?? 'Delivery'}
      back={
        <Back to="/$mode/deliveries" params={{ mode }}>
          Deliveries
        </Back>
      }
      actions={delivery && <Actions of={delivery} />}
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {delivery === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <div className="min-w-0 space-y-4 max-lg:order-2">
            <Card title="Attempts">
              <Timeline of={delivery} />
            </Card>
            <Card title="Last request">
              <SentRequest of={delivery} />
            </Card>
          </div>
          <Card title="Delivery" actions={<Status of={delivery.status} />}>
            <div className="p-4">
              <Summary of={delivery} />
            </div>
          </Card>
        </div>
      )}
    </Frame>
  )
}

/** Pause in ms between reads of a delivery whose attempt can begin: that is recorded nowhere, so no notice follows. */
const PAUSES_MS: { [step in NonNullable<DeliveryPage['progress']>]?: number } = {
  scheduled: 2_000,
  turn: 5_000,
  slow_webhook: 5_000,
}

/** When the next attempt can have begun, in ms from now. What else a delivery waits for ends with a notice. */
const untilAttempt = (delivery: DeliveryPage | undefined): number | false => {
  if (delivery?.progress == null) return false
  const pauseMs = PAUSES_MS[delivery.progress]
  if (pauseMs === undefined) return false
  const at = delivery.next_attempt_at
  return Math.max(at === null ? 0 : Date.parse(at) - Date.now(), pauseMs)
}

const Actions = ({ of: delivery }: { of: DeliveryPage }) => {
  const redeliver = useChange<Delivery>('deliveries')
  const isFinal = delivery.status !== 'RETRYING'
  const send = () =>
    redeliver.mutate(
      {
        method: 'POST',
        path: `/v1/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/redeliver`,
      },
      {
        onSuccess: () =>
          toast({
            title: 'Redelivery started',
            text: 'It has the same ID and body, and the time of the new attempt.',
          }),
        onError: error => toastError('Redelivery failed', error),
      },
    )
  const mayChange = useMayChange()
  return (
    <>
      {delivery.workflow_url !== null && (
        <a
          href={delivery.workflow_url}
          target="_blank"
          rel="noreferrer"
          className={buttonClass('plain')}
        >
          <ExternalLink aria-hidden className="size-4" />
          Open in Temporal
        </a>
      )}
      {mayChange && !delivery.receiver?.deleted && (
        <Button
          variant="primary"
          busy={redeliver.isPending}
          disabled={!isFinal}
          title={
            isFinal ? undefined : 'You can redeliver it when the attempts in progress have ended.'
          }
          onClick={send}
        >
          <RotateCcw aria-hidden className="size-4" />
          Redeliver
        </Button>
      )}
    </>
  )
}
