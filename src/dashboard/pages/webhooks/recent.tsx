import { Link } from '@tanstack/react-router'
import { RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { columns } from '../deliveries/columns'
import { useDeliveries } from '../deliveries/find'
import { RedeliverAll } from '../deliveries/redeliver'
import { Button } from '../kit/controls/button'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { ASIDE } from '../kit/link'
import { Table } from '../kit/tables/table'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'

const SHOWN = '10'

/** The newest deliveries to a webhook. */
export const RecentDeliveries = ({ webhookId }: { webhookId: string }) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [isAsking, setAsking] = useState(false)
  const found = useDeliveries({ webhook_id: webhookId, limit: SHOWN })
  return (
    <Card
      title="Newest deliveries"
      actions={
        <span className="flex items-center gap-2">
          {mayChange && (found.rows?.length ?? 0) > 0 && (
            <Button look="quiet" onClick={() => setAsking(true)}>
              <RotateCcw aria-hidden className="size-3.5" />
              Redeliver failed
            </Button>
          )}
          <Link
            to="/$mode/deliveries"
            params={{ mode }}
            search={{ webhook: webhookId } as never}
            className={`${ASIDE} text-sm whitespace-nowrap`}
          >
            All
          </Link>
        </span>
      }
    >
      <Table
        label="Newest deliveries"
        // It is clear to whom.
        columns={columns(mode).filter(({ head }) => head !== 'To')}
        rows={found.rows?.slice(0, Number(SHOWN))}
        keyOf={({ id }) => id}
        error={found.error}
        onRetry={found.refetch}
        empty={
          <Empty icon={Send} title="Nothing was sent to it yet">
            Send a test, or wait for an event it is subscribed to.
          </Empty>
        }
      />
      {isAsking && (
        <RedeliverAll
          filter={{ webhook_id: webhookId, status: 'FAILED' }}
          which="that failed at this webhook"
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}
