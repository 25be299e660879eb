import type { RedeliveryCounts, RedeliveryPreview } from '../../../webhooks/deliveries/redelivery'
import { MAX_ATTEMPTS } from '../../../webhooks/retry-schedule'
import { query } from '../api/client'
import { useChange, useDashboard } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'
import type { DeliveryFilterQuery } from './find'

const NUMBER = new Intl.NumberFormat('en')
export const deliveries = (count: number) =>
  `${NUMBER.format(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

/** What came of it, in words. */
const tell = ({ count, left_out }: RedeliveryCounts) =>
  toast({
    title: count === 0 ? 'Nothing is sent again' : `${deliveries(count)} to be sent again`,
    text:
      left_out === 0
        ? undefined
        : `${deliveries(left_out)} left out: still retrying, or the webhook is disabled or deleted.`,
    ...(count === 0 && { tone: 'bad' }),
  })

type Props = { onClose: () => void; onDone?: () => void }

/** Sends those that were selected again. */
export const RedeliverSelected = ({ ids, onClose, onDone }: Props & { ids: string[] }) => {
  const redeliver = useChange<RedeliveryCounts>('deliveries')
  return (
    <Confirm
      open
      danger={false}
      title={`Send ${deliveries(ids.length)} again?`}
      action="Redeliver"
      busy={redeliver.isPending}
      error={redeliver.error}
      onClose={onClose}
      onConfirm={() =>
        redeliver.mutate(
          { method: 'POST', path: '/deliveries/redelivery', body: { ids } },
          {
            onSuccess: answer => {
              tell(answer)
              onDone?.()
              onClose()
            },
          },
        )
      }
    >
      <Meaning />
    </Confirm>
  )
}

type AllProps = Props & {
  filter: DeliveryFilterQuery
  /** What they are, after their number: "that failed and match the filters". */
  which: string
}

/** Sends all that a filter finds again, and says before how many that is. */
export const RedeliverAll = ({ filter, which, onClose, onDone }: AllProps) => {
  const redeliver = useChange<RedeliveryCounts>('deliveries')
  const forecast = useDashboard<RedeliveryPreview>(
    'forecast',
    `/deliveries/redelivery${query(filter)}`,
  )
  const { count, left_out, at_least } = forecast.data ?? { count: 0, left_out: 0, at_least: false }
  return (
    <Confirm
      open
      danger={false}
      title={
        forecast.data === undefined
          ? 'Send again?'
          : `Send ${at_least ? 'at least ' : ''}${deliveries(count)} again?`
      }
      action="Redeliver all"
      busy={redeliver.isPending || forecast.isPending}
      error={redeliver.error ?? forecast.error}
      onClose={onClose}
      onConfirm={() =>
        redeliver.mutate(
          { method: 'POST', path: '/deliveries/redelivery', body: { filter } },
          {
            onSuccess: answer => {
              tell(answer)
              onDone?.()
              onClose()
            },
          },
        )
      }
    >
      <p>All {which}, on all pages.</p>
      {left_out > 0 && (
        <p>
          {deliveries(left_out)} would be left out: their webhook is disabled or deleted, or they
          are still retrying.
        </p>
      )}
      <Meaning />
    </Confirm>
  )
}

const Meaning = () => (
  <p>
    Each gets up to {MAX_ATTEMPTS} more attempts with the same id and body, signed anew. Receivers
    that have had one already know it by its X-Webhook-Delivery-Id.
  </p>
)
