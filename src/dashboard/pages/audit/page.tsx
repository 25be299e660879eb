import { History } from 'lucide-react'
import type { AuditEntry } from '../../audit/store'
import { query } from '../api/client'
import { useDashboardList } from '../api/queries'
import { DownloadCsv } from '../kit/controls/download'
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
import { columns } from './columns'
import { ACTOR_LABELS, AREA_LABELS } from './labels'

export const Page = () => {
  const [{ text, area, by, from, to }, setFilter] = useFilters('text', 'area', 'by', 'from', 'to')
  const filter = {
    text,
    area,
    by,
    // "From" includes the first millisecond of the day; `created_after` is exclusive.
    created_after: justBefore(beginningOf(from)),
    created_before: beginningOf(to, 1),
  }
  const entries = useDashboardList<AuditEntry>('audit', '/audit', filter)
  const isNarrowed = Object.values(filter).some(value => value !== undefined)
  return (
    <Frame
      title="Audit history"
      about="Changes to keys, webhooks and users, and what was published or deleted, in live and test mode. Entries are never deleted."
      actions={<DownloadCsv path={`/audit.csv${query(filter)}`} />}
      filters={
        <>
          <FilterText
            label="Name, ID or IP address"
            value={text}
            onChange={value => setFilter('text', value)}
            maxLength={200}
            className="w-64 max-sm:w-full"
          />
          <FilterSelect
            label="Action"
            value={area}
            onChange={value => setFilter('area', value)}
            options={[['', 'All actions'], ...Object.entries(AREA_LABELS)]}
          />
          <FilterSelect
            label="Actor"
            value={by}
            onChange={value => setFilter('by', value)}
            options={[['', 'All actors'], ...Object.entries(ACTOR_LABELS)]}
          />
          <FilterPeriod from={from} to={to} onChange={setFilter} />
        </>
      }
    >
      <Card>
        <ListTable
          label="Audit history"
          columns={columns(id => setFilter('text', id))}
          of={entries}
          keyOf={entry => entry.id}
          empty={
            <Empty icon={History} title={isNarrowed ? 'No matching entries' : 'No entries yet'}>
              {isNarrowed
                ? 'No entries match these filters. You can search for part of a name, but only for complete IDs and IP addresses.'
                : 'Changes to keys, webhooks and users, and what was published or deleted, are recorded here.'}
            </Empty>
          }
        />
      </Card>
    </Frame>
  )
}

const justBefore = (at: string | undefined): string | undefined =>
  at && new Date(new Date(at).getTime() - 1).toISOString()
