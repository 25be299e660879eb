import { Link, useNavigate } from '@tanstack/react-router'
import { FolderOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Project } from '../../../content/projects/schema'
import { readableDomain } from '../../../domain-name'
import { useList } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { FilterSearch, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import { contentIn, useMode } from '../mode'
import { useMayChange } from '../session/me'
import { ProjectDialog } from './dialog'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const [isCreating, setIsCreating] = useState(false)
  const [{ search }, setFilter] = useFilters('search')
  const projects = useList<Project>('projects', '/projects', { search: toSearch(search) })
  const create = mayChange && (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden className="size-4" />
      Create project
    </Button>
  )
  return (
    <Frame
      title="Projects"
      about="Each project is a website with its keywords, rankings and articles."
      actions={create}
      filters={
        (search !== undefined || (projects.rows?.length ?? 0) > 0) && (
          <FilterSearch
            members="Name or domain"
            value={search}
            onChange={value => setFilter('search', value)}
          />
        )
      }
    >
      <Card>
        <ListTable
          label="Projects"
          of={projects}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Name',
              cell: ({ id, name }) => (
                <Link to="/$mode/projects/$id" params={{ mode, id }} className={ROW_LINK}>
                  <TwoLines>{name}</TwoLines>
                </Link>
              ),
            },
            {
              head: 'Domain',
              cell: ({ domain }) =>
                domain === null ? <span className="text-faint">none</span> : readableDomain(domain),
              className: 'break-all',
            },
            { head: 'Language', cell: ({ language }) => language },
            { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={
            search !== undefined ? (
              <Empty icon={FolderOpen} title="No matching projects">
                No {mode} projects match this search.
              </Empty>
            ) : (
              <Empty
                icon={FolderOpen}
                title={`No ${contentIn(mode, 'projects')} yet`}
                action={create}
              >
                {mayChange
                  ? 'Create a project for your website, then add the keywords it should rank for.'
                  : 'Only members and owners can create projects.'}
              </Empty>
            )
          }
        />
      </Card>
      {isCreating && (
        <ProjectDialog
          onClose={() => setIsCreating(false)}
          onSaved={({ id }) => navigate({ to: '/$mode/projects/$id', params: { mode, id } })}
        />
      )}
    </Frame>
  )
}
