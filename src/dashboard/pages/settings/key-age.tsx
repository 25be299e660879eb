import type { SystemState } from '../../system/routes'
import { exactTime } from '../kit/controls/time'

const DAY_MS = 86_400_000

type Key = NonNullable<SystemState['encryption_key']>

/** The age of the encryption key of webhook secrets. */
export const KeyAge = ({ of: { id, since } }: { of: Key }) => {
  const days = since && Math.floor((Date.now() - new Date(since).getTime()) / DAY_MS)
  return (
    <p>
      Webhook secrets are encrypted with the key <code className="font-mono text-xs">{id}</code>
      {since !== null && days !== null && (
        <>
          , in use{' '}
          <time dateTime={since} title={exactTime(since)} className="font-medium">
            {days === 0 ? 'since today' : `for ${days} ${days === 1 ? 'day' : 'days'}`}
          </time>
        </>
      )}
      .{' '}
      <span className="text-muted">
        To change it, see “Changing the encryption key” in the operations guide.
      </span>
    </p>
  )
}
