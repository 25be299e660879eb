import { cx } from '../kit/classes'

const NUMBER = new Intl.NumberFormat('en')
/** The share of the limit from which usage is highlighted. */
const TIGHT = 0.8

/** The used part of a rate limit. */
export const UsageBar = ({ used, limit }: { used: number; limit: number }) => {
  const share = Math.min(1, used / limit)
  const tight = share >= TIGHT
  return (
    <span className="num inline-flex items-center align-middle gap-2 whitespace-nowrap">
      <svg aria-hidden="true" viewBox="0 0 48 4" className="h-1 w-12 rounded-full bg-line">
        <rect width={48 * share} height="4" className={cx(tight ? 'fill-bad' : 'fill-accent')} />
      </svg>
      <span className={cx('text-xs', tight ? 'text-bad' : 'text-muted')}>
        {NUMBER.format(used)} of {NUMBER.format(limit)}
      </span>
    </span>
  )
}
