import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { useCallback, useEffect } from 'react'
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

/** How often a page that could not be loaded is loaded again while the server is unavailable, in ms. */
const RETRY_MS = 5_000

/** For unexpected errors of a page. One that could not be loaded is loaded when the server responds again. */
export const PageError = ({ error: thrown }: ErrorComponentProps) => {
  const router = useRouter()
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const isNotLoaded = error instanceof ApiError && error.code === 'NO_RESPONSE'
  const isUnavailable = error instanceof ApiError && error.status === 503
  // Not `reset`, which would show the stored error of the loader again.
  const load = useCallback(() => void router.invalidate(), [router])
  useEffect(() => (isNotLoaded ? onReconnect(() => location.reload()) : undefined), [isNotLoaded])
  useEffect(() => {
    if (!isUnavailable) return
    const timer = setInterval(load, RETRY_MS)
    return () => clearInterval(timer)
  }, [isUnavailable, load])
  const retry = async () => {
    if (!isNotLoaded) load()
    else if (await checkConnection()) location.reload()
  }
  return (
    <div className="mx-auto max-w-xl p-6">
      <Problem error={error} onRetry={retry} />
    </div>
  )
}
