import { cx } from '../classes'

/** The logo, in the colour of the mode. */
export const Mark = ({ className = 'size-6' }: { className?: string }) => (
  <svg viewBox="0 0 32 32" className={cx('shrink-0', className)} aria-hidden="true">
    <rect width="32" height="32" rx="8" className="fill-accent-solid" />
    <path
      d="M8.5 23 16 8.5 23.5 23"
      className="fill-none stroke-white"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="16" cy="21.5" r="2" className="fill-white" />
  </svg>
)
