import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../kit/controls/button'
import { Empty } from '../kit/layout/empty'
import { Problem } from '../kit/layout/problem'

/** For addresses without a page. */
export const NotFound = () => (
  <Empty
    icon={Compass}
    title="Page not found"
    action={
      <Link to="/" className={buttonClass('primary')}>
        Go to the overview
      </Link>
    }
  >
    The page may have moved, or the record was deleted.
  </Empty>
)

/** For unexpected errors of a page. */
export const PageError = ({ error, reset }: ErrorComponentProps) => (
  <div className="mx-auto max-w-xl p-6">
    <Problem error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  </div>
)
