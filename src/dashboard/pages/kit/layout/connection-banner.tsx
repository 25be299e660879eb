import { CloudOff } from 'lucide-react'
import { useConnection } from '../../api/connection'

const TEXT = {
  offline: 'You are offline. Your input is kept, and the page updates when you reconnect.',
  unreachable:
    'Cannot reach the server. Your input is kept, and the page updates when the server responds.',
  unavailable:
    'The database is unavailable. Your input is kept, and the page updates when it is available again.',
} as const

/** Says on every page that requests get no response, or fail without a database. */
export const ConnectionBanner = () => {
  const connection = useConnection()
  return (
    <div role="status">
      {connection !== 'online' && (
        <p className="flex items-center justify-center gap-2 border-b border-line bg-warn-soft px-4 py-2 text-center text-sm font-medium text-warn">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          {TEXT[connection]}
        </p>
      )}
    </div>
  )
}
