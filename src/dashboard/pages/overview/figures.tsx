import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Overview } from '../../overview/store'
import { cx } from '../kit/classes'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { sum } from './sum'

const NUMBER = new Intl.NumberFormat('en')
// Rounded down: 100 % means all.
const SHARE = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
} as Intl.NumberFormatOptions)

/** Totals of the time span, with links to the records. */
export const Figures = ({ of: { deliveries, requests } }: { of: Overview }) => {
  const mode = useMode()
  const delivered = sum(deliveries.delivered)
  const failed = sum(deliveries.failed)
  const retrying = sum(deliveries.retrying)
  const accepted = sum(requests.accepted)
  const refused = sum(requests.refused)
  const search = (status: string) => ({ status }) as object
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-low max-lg:[&>:last-child]:col-span-2 lg:grid-cols-5">
      <Figure name="Delivered" value={delivered} note={share(delivered, delivered + failed)} />
      <Figure name="Failed" value={failed} tone={failed > 0 ? 'text-bad' : undefined}>
        {failed > 0 && (
          <Link
            to="/$mode/deliveries"
            params={{ mode }}
            search={search('FAILED')}
            className={INLINE_LINK}
          >
            View
          </Link>
        )}
      </Figure>
      <Figure name="Retrying" value={retrying} tone={retrying > 0 ? 'text-warn' : undefined}>
        {retrying > 0 && (
          <Link
            to="/$mode/deliveries"
            params={{ mode }}
            search={search('RETRYING')}
            className={INLINE_LINK}
          >
            View
          </Link>
        )}
      </Figure>
      <Figure name="Requests accepted" value={accepted} />
      <Figure
        name="Rate limited (429)"
        value={refused}
        tone={refused > 0 ? 'text-bad' : undefined}
        note={
          refused > 0
            ? `${SHARE.format(refused / (accepted + refused))} of all requests`
            : undefined
        }
      />
    </dl>
  )
}

const share = (delivered: number, all: number) =>
  all === 0 ? undefined : `${SHARE.format(delivered / all)} of completed deliveries`

type Props = {
  name: string
  value: number
  tone?: string | undefined
  note?: string | undefined
  children?: ReactNode
}

const Figure = ({ name, value, tone, note, children }: Props) => (
  <div className="bg-surface px-4 py-3">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className={cx('num text-xl font-semibold tracking-tight', tone)}>{NUMBER.format(value)}</dd>
    <dd className="min-h-4 text-xs text-muted">{note ?? children}</dd>
  </div>
)
