import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError } from '../api/client'
import { checkConnection, onReconnect } from '../api/connection'
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

/** For unexpected errors of a page. One that could not be loaded is loaded when the server responds again. */
export const PageError = ({ error: thrown, reset }: ErrorComponentProps) => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const isNotLoaded = error instanceof ApiError && error.code === 'NO_RESPONSE'
  useEffect(() => (isNotLoaded ? onReconnect(() => location.reload()) : undefined), [isNotLoaded])
  const retry = async () => {
    if (!isNotLoaded) reset()
    else if (await checkConnection()) location.reload()
  }
  return (
    <div className="mx-auto max-w-xl p-6">
      <Problem error={error} onRetry={retry} />
    </div>
  )
}
