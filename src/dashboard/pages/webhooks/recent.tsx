import { Link } from '@tanstack/react-router'
import { RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { columns } from '../deliveries/columns'
import { useDeliveries } from '../deliveries/queries'
import { RedeliverAll } from '../deliveries/redeliver'
import { Button } from '../kit/controls/button'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { INLINE_LINK } from '../kit/link'
import { Table } from '../kit/tables/table'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'

const SHOWN = '10'

/** The newest deliveries to a webhook. */
export const RecentDeliveries = ({ webhookId }: { webhookId: string }) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [isConfirming, setConfirming] = useState(false)
  const found = useDeliveries({ webhook_id: webhookId, limit: SHOWN })
  return (
    <Card
      title="Recent deliveries"
      actions={
        <span className="flex items-center gap-2">
          {mayChange && (found.rows?.length ?? 0) > 0 && (
            <Button variant="quiet" onClick={() => setConfirming(true)}>
              <RotateCcw aria-hidden className="size-3.5" />
              Redeliver failed
            </Button>
          )}
          <Link
            to="/$mode/deliveries"
            params={{ mode }}
            search={{ webhook: webhookId } as never}
            className={`${INLINE_LINK} text-sm whitespace-nowrap`}
          >
            View all
          </Link>
        </span>
      }
    >
      <Table
        label="Recent deliveries"
        // All go to the same webhook.
        columns={columns(mode).filter(({ head }) => head !== 'Endpoint')}
        rows={found.rows?.slice(0, Number(SHOWN))}
        keyOf={({ id }) => id}
        error={found.error}
        onRetry={found.refetch}
        empty={
          <Empty icon={Send} title="No deliveries yet">
            {mayChange
              ? 'Send a test, or make a change that the webhook is subscribed to.'
              : 'Every event sent to this webhook is listed here.'}
          </Empty>
        }
      />
      {isConfirming && (
        <RedeliverAll
          filter={{ webhook_id: webhookId, status: 'FAILED' }}
          which="that failed at this webhook"
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  )
}
