import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../kit/controls/button'
import { Empty } from '../kit/layout/empty'
import { Problem } from '../kit/layout/problem'

/** For an address that no page has. */
export const Nowhere = () => (
  <Empty
    icon={Compass}
    title="There is no page here"
    action={
      <Link to="/" className={buttonClass('primary')}>
        To the overview
      </Link>
    }
  >
    The address may be of an older version, or of a record that was deleted.
  </Empty>
)

/** For what a page did not expect. */
export const Broken = ({ error, reset }: ErrorComponentProps) => (
  <div className="mx-auto max-w-xl p-6">
    <Problem error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  </div>
)
