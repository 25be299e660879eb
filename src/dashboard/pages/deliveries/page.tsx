import { Link, useNavigate } from '@tanstack/react-router'
import { RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { query } from '../api/client'
import { Button, buttonClass } from '../kit/controls/button'
import { DownloadCsv } from '../kit/controls/download'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { ListTable } from '../kit/tables/list-table'
import { SelectAll } from '../kit/tables/select-all'
import { useSelection } from '../kit/tables/use-selection'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { columns } from './columns'
import { DeliveryFilters } from './filters'
import { toFilter, useDeliveries, useDeliveryFilters } from './queries'
import { Reasons } from './reasons'
import { RedeliverAll, RedeliverSelected } from './redeliver'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const filters = useDeliveryFilters()
  const [set, change] = filters
  const [dialog, setDialog] = useState<'selected' | 'all'>()
  const filter = toFilter(set)
  const found = useDeliveries(filter)
  const isFiltered = Object.values(set).some(value => value !== undefined)

  const selection = useSelection(found.rows)
  // Delivered ones are redelivered only when the filter selects exactly those.
  const again = set.status === 'DELIVERED' ? 'DELIVERED' : 'FAILED'
  const hasRows = (found.rows?.length ?? 0) > 0
  const canAll = mayChange && set.status !== 'RETRYING'
  return (
    <Frame
      title="Deliveries"
      about="Events sent to your webhooks, with every request and attempt."
      actions={
        hasRows && (
          <>
            <DownloadCsv path={`/deliveries/csv${query(filter)}`} mode={mode} />
            {canAll && (
              <Button onClick={() => setDialog('all')}>
                <RotateCcw aria-hidden className="size-4" />
                Redeliver all {again === 'FAILED' ? 'failed' : 'delivered'}
              </Button>
            )}
          </>
        )
      }
      filters={<DeliveryFilters of={filters} />}
    >
      <Reasons
        reasons={found.reasons}
        chosen={set.error}
        onChoose={error => change('error', error)}
      />
      <Card>
        {mayChange && hasRows && (
          <SelectAll of={selection}>
            <Button variant="primary" onClick={() => setDialog('selected')}>
              <RotateCcw aria-hidden className="size-3.5" />
              Redeliver
            </Button>
          </SelectAll>
        )}
        <ListTable
          label="Deliveries"
          columns={columns(mode, mayChange ? selection : undefined)}
          of={found}
          keyOf={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty
                icon={Send}
                title="No matching deliveries"
                action={
                  <Button onClick={() => navigate({ to: '.', search: {} })}>Clear filters</Button>
                }
              >
                No {mode} deliveries match these filters.
              </Empty>
            ) : (
              <Empty
                icon={Send}
                title={`No ${mode} deliveries yet`}
                action={
                  <Link to="/$mode/webhooks" params={{ mode }} className={buttonClass()}>
                    Go to webhooks
                  </Link>
                }
              >
                {mayChange && 'Create a webhook and send it a test. '}Every event sent to a webhook
                is listed here.
              </Empty>
            )
          }
        />
      </Card>
      {dialog === 'selected' && (
        <RedeliverSelected
          selected={selection.selected}
          onClose={() => setDialog(undefined)}
          onDone={() => selection.selectAll(false)}
        />
      )}
      {dialog === 'all' && (
        <RedeliverAll
          filter={{ ...filter, status: again }}
          which={`that ${again === 'FAILED' ? 'failed' : 'were delivered'}${isFiltered ? ' and match the filters' : ''}`}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Frame>
  )
}
