import { ScrollText } from 'lucide-react'
import { METHODS } from '../../../http/methods'
import type { ApiKey } from '../../../keys/schema'
import { LOGGED_PER_HOUR, RETENTION_DAYS } from '../../../requests/limits'
import type { FailedRequest } from '../../../requests/schema'
import { useFullList } from '../api/full-list'
import { useList } from '../api/queries'
import {
  beginningOf,
  FilterPeriod,
  FilterSelect,
  FilterText,
  useFilters,
} from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { ListTable } from '../kit/tables/list-table'
import { useMode } from '../mode'
import { columns } from './columns'
import { STATUSES } from './labels'

/** Requests that got an error. */
export const Page = () => {
  const mode = useMode()
  const [{ id, status, method, key, from, to }, setFilter] = useFilters(
    'id',
    'status',
    'method',
    'key',
    'from',
    'to',
  )
  const filter = {
    request_id: id?.trim(),
    status,
    method,
    key_id: key,
    created_after: beginningOf(from),
    created_before: beginningOf(to, 1),
  }
  const requests = useList<FailedRequest>('requests', '/requests', filter)
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <Frame
      title="Request log"
      about={`Requests in ${mode} mode that got an error other than 401, 429, and 503 where the key or session could not be checked, of the last ${RETENTION_DAYS} days: the first ${LOGGED_PER_HOUR} of each hour.`}
      filters={
        <>
          <FilterText
            label="Request ID"
            placeholder="X-Request-Id"
            value={id}
            onChange={value => setFilter('id', value)}
            maxLength={64}
            className="w-64 max-sm:w-full"
          />
          <FilterSelect
            label="Status"
            value={status}
            onChange={value => setFilter('status', value)}
            options={[['', 'Any status'], ...STATUSES]}
          />
          <FilterSelect
            label="Method"
            value={method}
            onChange={value => setFilter('method', value)}
            options={[
              ['', 'Any method'],
              ...METHODS.map(one => [one, one === 'other' ? 'Other' : one] as const),
            ]}
          />
          <KeyFilter value={key} onChange={value => setFilter('key', value)} />
          <FilterPeriod from={from} to={to} onChange={setFilter} />
        </>
      }
    >
      <Card>
        <ListTable
          label="Failed requests"
          of={requests}
          keyOf={request => request.id}
          columns={columns(mode)}
          empty={
            isFiltered ? (
              <Empty icon={ScrollText} title="No matching requests">
                No failed {mode} requests match these filters. A request appears within seconds.
              </Empty>
            ) : (
              <Empty icon={ScrollText} title={`No failed ${mode} requests`}>
                Requests that get an error are listed here, with the reason.
              </Empty>
            )
          }
        />
      </Card>
    </Frame>
  )
}

type KeyFilterProps = { value: string | undefined; onChange: (id: string) => void }

/** The API keys of the mode: active ones, then those whose requests are looked for after a leak. */
const KeyFilter = ({ value, onChange }: KeyFilterProps) => {
  const mode = useMode()
  const { rows = [] } = useFullList<ApiKey>('api-keys', '/api-keys', { mode, status: 'all' })
  const known = [
    ...rows.filter(one => one.status === 'active').map(one => [one.id, one.name] as const),
    ...rows
      .filter(one => one.status !== 'active')
      .map(one => [one.id, `${one.name} (${one.status})`] as const),
  ]
  const isKnown = value === undefined || known.some(([id]) => id === value)
  return (
    <FilterSelect
      label="API key"
      value={value}
      onChange={onChange}
      options={[['', 'Any key'], ...known, ...(isKnown ? [] : [[value, value] as const])]}
    />
  )
}
