import { Link, useNavigate } from '@tanstack/react-router'
import { FileText, Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Mode } from '../../../caller'
import type { Article } from '../../../content/articles/schema'
import type { Keyword } from '../../../content/keywords/schema'
import { useList, useRecord } from '../api/queries'
import { Status } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { FilterSearch, FilterSelect, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import { SelectRow } from '../kit/tables/select-row'
import type { Column } from '../kit/tables/table'
import { type Selection, useSelection } from '../kit/tables/use-selection'
import { contentIn, useMode } from '../mode'
import { ProjectLink } from '../project-picker/link'
import { FilterProject } from '../project-picker/select'
import { useMayChange } from '../session/me'
import { BulkBar } from './bulk/bar'
import { CreateArticle } from './create'
import { ExportMenu } from './export-menu'

const STATUSES: readonly (readonly [Article['status'] | '', string])[] = [
  ['', 'Any status'],
  ['DRAFT', 'Drafts'],
  ['PUBLISHED', 'Published'],
]

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const [isCreating, setIsCreating] = useState(false)
  const [{ search, status, project, keyword }, setFilter] = useFilters(
    'search',
    'status',
    'project',
    'keyword',
  )
  const filter = {
    search: toSearch(search),
    status,
    project_id: project,
    keyword_id: keyword,
  }
  const articles = useList<Article>('articles', '/articles', filter)
  const selection = useSelection(articles.rows)
  const create = mayChange && (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden className="size-4" />
      Create article
    </Button>
  )
  const isFiltered = [search, status, project, keyword].some(value => value !== undefined)
  return (
    <Frame
      title="Articles"
      about="Drafts and published articles, written by hand or generated."
      actions={
        <>
          {selection.rows.length > 0 && (
            <ExportMenu label="Export all" path="/articles/export" which={filter} />
          )}
          {create}
        </>
      }
      filters={
        <>
          <FilterSearch
            members="Title or slug"
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
          {keyword !== undefined && (
            <OnlyKeyword id={keyword} onRemove={() => setFilter('keyword', '')} />
          )}
        </>
      }
    >
      <Card>
        <BulkBar of={selection} />
        <ListTable
          label="Articles"
          of={articles}
          keyOf={({ id }) => id}
          columns={columns(mode, selection)}
          empty={
            isFiltered ? (
              <Empty icon={FileText} title="No matching articles">
                No {mode} articles match these filters.
              </Empty>
            ) : (
              <Empty
                icon={FileText}
                title={`No ${contentIn(mode, 'articles')} yet`}
                action={create}
              >
                {mayChange
                  ? 'Write an article here, or generate one from a keyword.'
                  : 'Only members and owners can create articles.'}
              </Empty>
            )
          }
        />
      </Card>
      {isCreating && (
        <CreateArticle
          project={project}
          onClose={() => setIsCreating(false)}
          onCreated={({ id }) => navigate({ to: '/$mode/articles/$id', params: { mode, id } })}
        />
      )}
    </Frame>
  )
}

/** A filter that a link has set, with a button that removes it. */
const OnlyKeyword = ({ id, onRemove }: { id: string; onRemove: () => void }) => {
  const { data } = useRecord<Keyword>('keywords', `/keywords/${id}`)
  return (
    <Button onClick={onRemove}>
      <span className="max-w-56 truncate">Keyword: {data?.keyword ?? id}</span>
      <X aria-label="Remove filter" className="size-3.5 text-muted" />
    </Button>
  )
}

const columns = (mode: Mode, selection: Selection<Article>): Column<Article>[] => [
  {
    head: 'Title',
    cell: ({ id, title, slug }) => (
      <span className="flex items-start gap-3">
        <SelectRow id={id} name={title} of={selection} />
        <span className="min-w-0">
          <Link to="/$mode/articles/$id" params={{ mode, id }} className={ROW_LINK}>
            <TwoLines>{title}</TwoLines>
          </Link>
          <span className="line-clamp-1 text-xs break-all text-muted">{slug}</span>
        </span>
      </span>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    head: 'Project',
    className: 'break-words',
    cell: ({ project_id }) => <ProjectLink id={project_id} />,
  },
  {
    head: 'Published',
    cell: ({ published_at, scheduled_at }) =>
      scheduled_at === null ? (
        <Time at={published_at} empty="no" />
      ) : (
        <span className="text-muted">
          scheduled <Time at={scheduled_at} />
        </span>
      ),
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]
