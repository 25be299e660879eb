import type {
  RedeliveryCounts,
  RedeliveryPreview,
} from '../../../webhooks/deliveries/bulk-redelivery'
import { MAX_ATTEMPTS } from '../../../webhooks/retry-schedule'
import { query } from '../api/client'
import { useChange, useDashboard } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'
import type { DeliveryFilterQuery } from './queries'

const NUMBER = new Intl.NumberFormat('en')
export const deliveries = (count: number) =>
  `${NUMBER.format(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Shows the result. */
const showResult = ({ count, left_out }: RedeliveryCounts) =>
  toast({
    title: count === 0 ? 'No deliveries were redelivered' : `Redelivering ${deliveries(count)}`,
    text:
      left_out === 0
        ? undefined
        : `${deliveries(left_out)} skipped, because they are still retrying, or their webhook is disabled or deleted.`,
    ...(count === 0 && { tone: 'bad' }),
  })

type Props = { onClose: () => void; onDone?: () => void }

/** Redelivers the selected deliveries. */
export const RedeliverSelected = ({ ids, onClose, onDone }: Props & { ids: string[] }) => {
  const redeliver = useChange<RedeliveryCounts>('deliveries')
  return (
    <Confirm
      open
      danger={false}
      title={`Redeliver ${deliveries(ids.length)}?`}
      action="Redeliver"
      busy={redeliver.isPending}
      error={redeliver.error}
      onClose={onClose}
      onConfirm={() =>
        redeliver.mutate(
          { method: 'POST', path: '/deliveries/redelivery', body: { ids } },
          {
            onSuccess: result => {
              showResult(result)
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
  /** Which they are, such as "that failed and match the filters". */
  which: string
}

/** Redelivers every delivery that matches a filter, after showing how many they are. */
export const RedeliverAll = ({ filter, which, onClose, onDone }: AllProps) => {
  const redeliver = useChange<RedeliveryCounts>('deliveries')
  const preview = useDashboard<RedeliveryPreview>(
    'redelivery-preview',
    `/deliveries/redelivery${query(filter)}`,
  )
  const { count, left_out, at_least } = preview.data ?? { count: 0, left_out: 0, at_least: false }
  const isEmpty = preview.data?.count === 0
  return (
    <Confirm
      open
      danger={false}
      title={
        preview.data === undefined
          ? 'Redeliver?'
          : isEmpty
            ? 'Nothing to redeliver'
            : `Redeliver ${at_least ? 'at least ' : ''}${deliveries(count)}?`
      }
      action="Redeliver all"
      disabled={isEmpty}
      busy={redeliver.isPending || preview.isPending}
      error={redeliver.error ?? preview.error}
      onClose={onClose}
      onConfirm={() =>
        redeliver.mutate(
          { method: 'POST', path: '/deliveries/redelivery', body: { filter } },
          {
            onSuccess: result => {
              showResult(result)
              onDone?.()
              onClose()
            },
          },
        )
      }
    >
      {isEmpty && left_out === 0 && <p>There are no deliveries {which}.</p>}
      {!isEmpty && <p>This includes all deliveries {which}, on every page of the list.</p>}
      {left_out > 0 && (
        <p>
          {deliveries(left_out)} {isEmpty ? 'cannot be redelivered' : 'will be skipped'} because
          their webhook is disabled or deleted, or they are still retrying. Enable a disabled
          webhook first.
        </p>
      )}
      {!isEmpty && <Meaning />}
    </Confirm>
  )
}

const Meaning = () => (
  <p>
    Each delivery gets up to {MAX_ATTEMPTS} more attempts with the same ID and body and a new
    signature. Receivers can recognize duplicates by the header{' '}
    <span className="whitespace-nowrap">X-Webhook-Delivery-Id</span>.
  </p>
)
