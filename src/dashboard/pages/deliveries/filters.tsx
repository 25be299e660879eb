import type { Webhook } from '../../../webhooks/endpoints/schema'
import { EVENT_TYPES } from '../../../webhooks/events/types'
import { useList } from '../api/queries'
import { FilterSelect, FilterText } from '../kit/forms/filters'
import { longNameOf } from '../webhook-name/name'
import { CUSTOM_RANGE, type useDeliveryFilters } from './queries'

const STATUSES = [
  ['', 'Any status'],
  ['FAILED', 'Failed'],
  ['RETRYING', 'Retrying'],
  ['DELIVERED', 'Delivered'],
] as const

const TIMES = [
  ['', 'Any time'],
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
  [CUSTOM_RANGE, 'Custom range…'],
] as const

type Props = { of: ReturnType<typeof useDeliveryFilters> }

/** Filters by status, event, webhook, time and id. */
export const DeliveryFilters = ({ of: [set, change] }: Props) => {
  const webhooks = useList<Webhook>('webhooks', '/webhooks', { limit: 100 })
  const known = (webhooks.rows ?? []).map(webhook => [webhook.id, longNameOf(webhook)] as const)
  const isKnown = set.webhook === undefined || known.some(([id]) => id === set.webhook)
  return (
    <>
      <FilterText
        label="Search by ID"
        placeholder="dlv_…, evt_… or wh_…"
        value={set.id}
        onChange={id => change('id', id)}
        className="w-full sm:w-56"
      />
      <FilterSelect
        label="Status"
        value={set.status}
        onChange={status => change('status', status)}
        options={STATUSES}
      />
      <FilterSelect
        label="Event"
        value={set.event}
        onChange={event => change('event', event)}
        options={[['', 'Any event'], ...EVENT_TYPES.map(type => [type, type] as const)]}
      />
      <FilterSelect
        label="Webhook"
        value={set.webhook}
        onChange={webhook => change('webhook', webhook)}
        options={[
          ['', 'Any webhook'],
          ...known,
          ...(isKnown ? [] : [[set.webhook ?? '', set.webhook ?? ''] as const]),
        ]}
      />
      <FilterSelect
        label="Time"
        value={set.hours}
        onChange={hours => change('hours', hours)}
        options={TIMES}
      />
      {set.hours === CUSTOM_RANGE && (
        <span className="flex flex-wrap gap-2">
          <Moment label="From" value={set.from} onChange={from => change('from', from)} />
          <Moment label="To" value={set.to} onChange={to => change('to', to)} />
        </span>
      )}
    </>
  )
}

type MomentProps = { label: string; value: string | undefined; onChange: (value: string) => void }

/** A time, in the browser's time zone in the field and in UTC in the address. */
const Moment = ({ label, value, onChange }: MomentProps) => (
  <label className="flex items-center gap-1.5 text-sm text-muted">
    {label}
    <input
      type="datetime-local"
      defaultValue={value && localTime(value)}
      onChange={event => {
        const at = new Date(event.target.value)
        onChange(Number.isNaN(at.getTime()) ? '' : at.toISOString())
      }}
      className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm text-text shadow-low max-sm:h-9 max-sm:text-[16px]"
    />
  </label>
)

const MINUTE_MS = 60_000

const localTime = (iso: string): string | undefined => {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return undefined
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}
