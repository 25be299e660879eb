import { Download, History } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry } from '../../audit/store'
import { callFile, query } from '../api/client'
import { useDashboardList } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toastError } from '../kit/controls/toast'
import { beginningOf, FilterDate, FilterSelect, FilterText, useFilters } from '../kit/forms/filters'
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
      about="Changes to keys, webhooks, content and users, in live and test mode. Entries are never deleted."
      actions={<DownloadCsv filter={filter} />}
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
          <FilterDate label="From" value={from} onChange={value => setFilter('from', value)} />
          <FilterDate label="To" value={to} onChange={value => setFilter('to', value)} />
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
                : 'Changes to keys, webhooks, content and users are recorded here.'}
            </Empty>
          }
        />
      </Card>
    </Frame>
  )
}

const justBefore = (at: string | undefined): string | undefined =>
  at && new Date(new Date(at).getTime() - 1).toISOString()

/** Downloads every entry that matches, not only the loaded ones. */
const DownloadCsv = ({ filter }: { filter: Record<string, string | undefined> }) => {
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      save(await callFile(`/audit.csv${query(filter)}`), 'audit-history.csv')
    } catch (error) {
      toastError('Download failed', error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button busy={busy} onClick={download}>
      {!busy && <Download aria-hidden className="size-4" />}
      Download CSV
    </Button>
  )
}

const save = (file: Blob, name: string) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
