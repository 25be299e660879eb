import { CircleAlert } from 'lucide-react'
import { ApiError } from '../../api/client'
import { isSessionEnded, openSignIn } from '../../api/queries'
import { cx } from '../classes'
import { Button } from '../controls/button'
import { CopyButton } from '../controls/copy'

type Props = { error: Error | null; onRetry?: (() => void) | undefined; className?: string }

/** Commands and settings are between backticks in messages. */
const withCode = (message: string) =>
  message.split('`').map((text, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <code key={index} className="font-mono text-[0.95em]">
        {text}
      </code>
    ) : (
      text
    ),
  )

/** An error message, with the request id to find it in the logs. */
export const Problem = ({ error, onRetry, className }: Props) => {
  if (error === null) return null
  const requestId = error instanceof ApiError ? error.requestId : null
  // What does not exist or is refused, is so at the next try as well.
  const canRetry = !(
    error instanceof ApiError &&
    (error.code === 'NOT_FOUND' || error.status === 422)
  )
  return (
    <div
      role="alert"
      className={cx(
        'flex items-start gap-2.5 rounded-lg border border-bad/25 bg-bad-soft p-3 text-sm',
        className,
      )}
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 grow">
        <p className="break-words text-bad">{withCode(error.message)}</p>
        {requestId !== null && (
          <p className="mt-1 flex items-center gap-1 text-xs text-muted">
            <span className="truncate">
              Request ID <code className="font-mono">{requestId}</code>
            </span>
            <CopyButton text={requestId} label="Copy request ID" />
          </p>
        )}
      </div>
      {isSessionEnded(error) ? (
        <Button onClick={openSignIn}>Sign in</Button>
      ) : (
        onRetry !== undefined && canRetry && <Button onClick={onRetry}>Try again</Button>
      )}
    </div>
  )
}
