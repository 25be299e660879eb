import type { ReactNode } from 'react'
import type {
  RedeliveryCounts,
  RedeliveryPreview,
} from '../../../webhooks/deliveries/bulk-redelivery'
import { MAX_ATTEMPTS } from '../../../webhooks/retry-schedule'
import type { DeliveryListItem } from '../../deliveries/routes'
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
      left_out === 0 ? undefined : `${deliveries(left_out)} skipped, because ${whyNot(left_out)}.`,
    ...(count === 0 && { tone: 'bad' }),
  })

const whyNot = (count: number) =>
  count === 1
    ? 'its webhook is disabled or deleted, or it is still retrying'
    : 'their webhook is disabled or deleted, or they are still retrying'

type Props = { onClose: () => void; onDone?: () => void }

/** Redelivers the selected deliveries, after showing how many of them can be. */
export const RedeliverSelected = ({
  selected,
  ...props
}: Props & { selected: readonly DeliveryListItem[] }) => {
  const count = selected.filter(canBeRedelivered).length
  return (
    <Redeliver
      {...props}
      action="Redeliver"
      preview={{ count, left_out: selected.length - count, at_least: false }}
      body={{ ids: selected.map(({ id }) => id) }}
    />
  )
}

/** As the server decides. */
const canBeRedelivered = ({ status, receiver }: DeliveryListItem) =>
  status !== 'RETRYING' && receiver !== null && receiver.enabled && !receiver.deleted

type AllProps = Props & {
  filter: DeliveryFilterQuery
  /** Which they are, such as "that failed and match the filters". */
  which: string
}

/** Redelivers every delivery that matches a filter, after showing how many they are. */
export const RedeliverAll = ({ filter, which, ...props }: AllProps) => {
  const { data, isPending, error } = useDashboard<RedeliveryPreview>(
    'redelivery-preview',
    `/deliveries/redelivery${query(filter)}`,
  )
  return (
    <Redeliver
      {...props}
      action="Redeliver all"
      preview={data}
      isPending={isPending}
      error={error}
      body={{ filter }}
    >
      {data?.count !== 0 ? (
        <p>This includes all deliveries {which}, on every page of the list.</p>
      ) : (
        data.left_out === 0 && <p>There are no deliveries {which}.</p>
      )}
    </Redeliver>
  )
}

type DialogProps = Props & {
  action: string
  /** Undefined while it is loaded. */
  preview: RedeliveryPreview | undefined
  isPending?: boolean
  error?: Error | null
  body: { ids: string[] } | { filter: DeliveryFilterQuery }
  /** Which deliveries these are. */
  children?: ReactNode
}

const Redeliver = ({ action, preview, body, children, ...props }: DialogProps) => {
  const { isPending = false, error = null, onClose, onDone } = props
  const redeliver = useChange<RedeliveryCounts>('deliveries')
  const { count, left_out, at_least } = preview ?? { count: 0, left_out: 0, at_least: false }
  const isEmpty = preview?.count === 0
  return (
    <Confirm
      open
      danger={false}
      title={
        preview === undefined
          ? 'Redeliver?'
          : isEmpty
            ? 'Nothing to redeliver'
            : `Redeliver ${at_least ? 'at least ' : ''}${deliveries(count)}?`
      }
      action={action}
      disabled={isEmpty || isPending}
      busy={redeliver.isPending}
      error={redeliver.error ?? error}
      onClose={onClose}
      onConfirm={() =>
        redeliver.mutate(
          { method: 'POST', path: '/deliveries/redelivery', body },
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
      {children}
      {left_out > 0 && (
        <p>
          {deliveries(left_out)} {isEmpty ? 'cannot be redelivered' : 'will be skipped'} because{' '}
          {whyNot(left_out)}. Enable a disabled webhook first.
        </p>
      )}
      {!isEmpty && (
        <p>
          Each delivery gets up to {MAX_ATTEMPTS} more attempts with the same ID and body and a new
          signature. Receivers can recognize duplicates by the header{' '}
          <span className="whitespace-nowrap">X-Webhook-Delivery-Id</span>.
        </p>
      )}
    </Confirm>
  )
}
