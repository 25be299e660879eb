import { Link } from '@tanstack/react-router'
import { Plus, Sparkles } from 'lucide-react'
import { useState } from 'react'
import type { Mode } from '../../../caller'
import type { Generation } from '../../../content/generations/schema'
import { useList } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { FilterSearch, FilterSelect, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK, ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import type { Column } from '../kit/tables/table'
import { contentIn, useMode } from '../mode'
import { ProjectLink } from '../project-picker/link'
import { FilterProject } from '../project-picker/select'
import { useMayChange } from '../session/me'
import { Progress, took } from './progress'
import { StartGeneration } from './start'

const STATUSES: readonly (readonly [Generation['status'] | '', string])[] = [
  ['', 'Any status'],
  ['QUEUED', 'Queued'],
  ['RUNNING', 'Running'],
  ['AWAITING_APPROVAL', 'To approve'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['CANCELLED', 'Cancelled'],
]

export const Page = () => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [isStarting, setIsStarting] = useState(false)
  const [{ search, status, project }, setFilter] = useFilters('search', 'status', 'project')
  const generations = useList<Generation>('generations', '/generations', {
    search: toSearch(search),
    status,
    project_id: project,
  })
  const start = mayChange && (
    <Button variant="primary" onClick={() => setIsStarting(true)}>
      <Plus aria-hidden className="size-4" />
      Generate article
    </Button>
  )
  const isFiltered = [search, status, project].some(value => value !== undefined)
  return (
    <Frame
      title="Generations"
      about="Jobs that write draft articles. This page updates automatically."
      actions={start}
      filters={
        <>
          <FilterSearch
            members="Keyword"
            value={search}
            onChange={value => setFilter('search', value)}
          />
          <FilterSelect
            label="Status"
            value={status}
            onChange={value => setFilter('status', value)}
            options={STATUSES}
          />
          <FilterProject value={project} onChange={value => setFilter('project', value)} />
        </>
      }
    >
      <Card>
        <ListTable
          label="Generations"
          of={generations}
          keyOf={({ id }) => id}
          columns={columns(mode)}
          empty={
            isFiltered ? (
              <Empty icon={Sparkles} title="No matching generations">
                No {mode} generations match these filters.
              </Empty>
            ) : (
              <Empty
                icon={Sparkles}
                title={`No ${contentIn(mode, 'generations')} yet`}
                action={start}
              >
                {mayChange
                  ? 'Choose a keyword, and Arden writes a draft article about it.'
                  : 'Only members and owners can generate articles.'}
              </Empty>
            )
          }
        />
      </Card>
      {isStarting && <StartGeneration onClose={() => setIsStarting(false)} />}
    </Frame>
  )
}

const columns = (mode: Mode): Column<Generation>[] => [
  {
    head: 'Keyword',
    cell: ({ id, keyword, error }) => (
      <>
        <Link to="/$mode/generations/$id" params={{ mode, id }} className={ROW_LINK}>
          <TwoLines>{keyword}</TwoLines>
        </Link>
        {error !== null && (
          <span className="mt-0.5 line-clamp-2 text-xs break-words text-bad">{error.message}</span>
        )}
      </>
    ),
  },
  { head: 'Status', cell: generation => <Progress of={generation} /> },
  {
    head: 'Article',
    cell: ({ article_id }) =>
      article_id === null ? (
        <span className="text-faint">none</span>
      ) : (
        <Link to="/$mode/articles/$id" params={{ mode, id: article_id }} className={INLINE_LINK}>
          Open
        </Link>
      ),
  },
  {
    head: 'Project',
    className: 'break-words',
    cell: ({ project_id }) => <ProjectLink id={project_id} />,
  },
  {
    head: 'Duration',
    right: true,
    cell: generation => took(generation) ?? <span className="text-faint">–</span>,
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]
