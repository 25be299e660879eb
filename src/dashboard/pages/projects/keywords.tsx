import { Link } from '@tanstack/react-router'
import { Plus, Search, Sparkles, Upload } from 'lucide-react'
import { useState } from 'react'
import type { Keyword } from '../../../content/keywords/schema'
import type { Project } from '../../../content/projects/schema'
import { query } from '../api/client'
import { useList } from '../api/queries'
import { KeywordDialog } from '../keywords/dialog'
import { GenerateSelected } from '../keywords/generate'
import { ImportKeywords } from '../keywords/import'
import { Tracking } from '../keywords/tracking'
import { Badge } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { DownloadCsv } from '../kit/controls/download'
import { Time } from '../kit/controls/time'
import { FilterSearch, FilterSelect, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import { SelectAll } from '../kit/tables/select-all'
import { SelectRow } from '../kit/tables/select-row'
import { useSelection } from '../kit/tables/use-selection'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'

/** The keywords of a project with their latest positions. */
export const Keywords = ({ of: project }: { of: Project }) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [dialog, setDialog] = useState<'add' | 'import' | 'generate'>()
  const [{ search, tracked, device, tag, change, sort }, setFilter] = useFilters(
    'search',
    'tracked',
    'device',
    'tag',
    'change',
    'sort',
  )
  const filter = { search: toSearch(search), tracked, device, tag, change, sort }
  const keywords = useList<Keyword>('keywords', `/projects/${project.id}/keywords`, filter)
  const isFiltered = [search, tracked, device, tag, change].some(value => value !== undefined)
  const selection = useSelection(keywords.rows)
  const { selected } = selection
  const close = () => setDialog(undefined)
  const add = mayChange && (
    <Button onClick={() => setDialog('add')}>
      <Plus aria-hidden className="size-4" />
      Add keyword
    </Button>
  )
  const actions = (
    <div className="flex flex-wrap gap-2">
      <DownloadCsv path={`/projects/${project.id}/keywords.csv${query(filter)}`} mode={mode} />
      {mayChange && (
        <Button onClick={() => setDialog('import')}>
          <Upload aria-hidden className="size-4" />
          Import
        </Button>
      )}
      {add}
    </div>
  )
  return (
    <Card title="Keywords" actions={actions}>
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
            ['true', 'Tracking on'],
            ['false', 'Tracking off'],
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
        <FilterSelect
          label="Change"
          value={change}
          onChange={value => setFilter('change', value)}
          options={[
            ['', 'Any change'],
            ['improved', 'Improved'],
            ['declined', 'Declined'],
            ['unchanged', 'Unchanged'],
          ]}
        />
        <FilterSelect
          label="Order"
          value={sort}
          onChange={value => setFilter('sort', value)}
          options={[
            ['', 'Newest first'],
            ['position', 'Best position first'],
            ['-position', 'Worst position first'],
            ['change', 'Largest gain first'],
            ['-change', 'Largest loss first'],
          ]}
        />
        {tag !== undefined && <Button onClick={() => setFilter('tag', '')}>Tag: {tag} ×</Button>}
      </div>
      {mayChange && selection.rows.length > 0 && (
        <SelectAll of={selection}>
          <Button variant="primary" onClick={() => setDialog('generate')}>
            <Sparkles aria-hidden className="size-4" />
            Generate {selected.length} {selected.length === 1 ? 'article' : 'articles'}
          </Button>
        </SelectAll>
      )}
      <ListTable
        label="Keywords"
        of={keywords}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Keyword',
            cell: ({ id, keyword }) => (
              <span className="flex items-start gap-3">
                {mayChange && <SelectRow id={id} name={keyword} of={selection} />}
                <span className="min-w-0">
                  <Link to="/$mode/keywords/$id" params={{ mode, id }} className={ROW_LINK}>
                    <TwoLines>{keyword}</TwoLines>
                  </Link>
                </span>
              </span>
            ),
          },
          { head: 'Position', cell: keyword => <Position of={keyword} /> },
          { head: 'Change', cell: ({ position_change: by }) => by !== null && <Change by={by} /> },
          {
            head: 'Tags',
            cell: ({ tags }) =>
              tags.length > 0 && <Tags of={tags} onChoose={name => setFilter('tag', name)} />,
          },
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
              {mayChange
                ? 'Add a search term to track its rankings and to generate articles about it.'
                : 'Only members and owners can add keywords.'}
            </Empty>
          )
        }
      />
      {dialog === 'add' && <KeywordDialog project={project} onClose={close} />}
      {dialog === 'import' && <ImportKeywords project={project} onClose={close} />}
      {dialog === 'generate' && (
        <GenerateSelected
          projectId={project.id}
          ids={selected.map(({ id }) => id)}
          onClose={close}
        />
      )}
    </Card>
  )
}

/** The gain since the ranking before. */
const Change = ({ by }: { by: number }) => {
  if (by === 0) return <span className="text-faint">0</span>
  return (
    <span className={by > 0 ? 'num text-good' : 'num text-bad'}>
      <span className="sr-only">{by > 0 ? 'up ' : 'down '}</span>
      <span aria-hidden>{by > 0 ? '↑' : '↓'}</span>
      {Math.abs(by)}
    </span>
  )
}

/** The tags of a keyword; each shows the keywords that have it. */
const Tags = ({ of, onChoose }: { of: string[]; onChoose: (tag: string) => void }) => (
  <span className="relative z-10 inline-flex max-w-full flex-wrap gap-1">
    {of.map(tag => (
      <button key={tag} type="button" onClick={() => onChoose(tag)} title={`Only ${tag}`}>
        <Badge>
          <span className="max-w-40 truncate">{tag}</span>
        </Badge>
      </button>
    ))}
  </span>
)

/** The position among the search results at the latest check. */
const Position = ({ of: keyword }: { of: Keyword }) => {
  const { latest_position: at, latest_checked_at: checked } = keyword
  if (checked === null) return <span className="text-faint">No check yet</span>
  if (at === null) return <span className="text-muted">Not found</span>
  return <span className="num font-medium">{at}</span>
}
