import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import type { Keyword } from '../../../content/keywords/schema'
import type { Project } from '../../../content/projects/schema'
import { useList } from '../api/queries'
import { KeywordDialog } from '../keywords/dialog'
import { Tracking } from '../keywords/tracking'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { FilterSearch, FilterSelect, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'

/** The keywords of a project with their latest positions. */
export const Keywords = ({ of: project }: { of: Project }) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [isAdding, setIsAdding] = useState(false)
  const [{ search, tracked, device }, setFilter] = useFilters('search', 'tracked', 'device')
  const keywords = useList<Keyword>('keywords', `/projects/${project.id}/keywords`, {
    search: toSearch(search),
    tracked,
    device,
  })
  const isFiltered = [search, tracked, device].some(value => value !== undefined)
  const add = mayChange && (
    <Button onClick={() => setIsAdding(true)}>
      <Plus aria-hidden className="size-4" />
      Add keyword
    </Button>
  )
  return (
    <Card title="Keywords" actions={add}>
      <div className="flex flex-wrap gap-2 border-b border-line px-4 py-2.5">
        <FilterSearch
          members="Keyword"
          value={search}
          onChange={value => setFilter('search', value)}
        />
        <FilterSelect
          label="Tracking"
          value={tracked}
          onChange={value => setFilter('tracked', value)}
          options={[
            ['', 'Any tracking'],
            ['true', 'Tracked'],
            ['false', 'Not tracked'],
          ]}
        />
        <FilterSelect
          label="Device"
          value={device}
          onChange={value => setFilter('device', value)}
          options={[
            ['', 'Any device'],
            ['desktop', 'Desktop'],
            ['mobile', 'Mobile'],
          ]}
        />
      </div>
      <ListTable
        label="Keywords"
        of={keywords}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Keyword',
            cell: ({ id, keyword }) => (
              <Link to="/$mode/keywords/$id" params={{ mode, id }} className={ROW_LINK}>
                <TwoLines>{keyword}</TwoLines>
              </Link>
            ),
          },
          { head: 'Position', cell: ({ latest_position }) => <Position at={latest_position} /> },
          { head: 'Country', cell: ({ country }) => country },
          { head: 'Device', cell: ({ device }) => device },
          {
            head: 'Tracking',
            cell: ({ tracked }) => <Tracking isOn={tracked} domain={project.domain} />,
          },
          { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered ? (
            <Empty icon={Search} title="No matching keywords">
              No keywords of {project.name} match these filters.
            </Empty>
          ) : (
            <Empty icon={Search} title="No keywords yet" action={add}>
              Add a search term to track its rankings and to generate articles about it.
            </Empty>
          )
        }
      />
      {isAdding && <KeywordDialog projectId={project.id} onClose={() => setIsAdding(false)} />}
    </Card>
  )
}

/** A position among the search results. */
const Position = ({ at }: { at: number | null }) =>
  at === null ? (
    <span className="text-faint">none</span>
  ) : (
    <span className="num font-medium">{at}</span>
  )
