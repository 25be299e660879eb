import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Event } from '../../../webhooks/event-log/schema'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { useProjects } from '../project-picker/use-projects'

/** The members of `data` with ids, and the page of each. */
const PAGES = [
  ['article_id', '/$mode/articles/$id', 'Article'],
  ['keyword_id', '/$mode/keywords/$id', 'Keyword'],
  ['generation_id', '/$mode/generations/$id', 'Generation'],
  ['project_id', '/$mode/projects/$id', 'Project'],
] as const

/**
 * Links to the records that an event is about. Those of a deleted project are deleted with it (contract 6.1). The sample
 * of a test names none that exist.
 */
export const SubjectLinks = ({ of: event }: { of: Pick<Event, 'event' | 'data' | 'test'> }) => {
  const mode = useMode()
  const isProjectDeleted = useIsProjectDeleted(event.data.project_id)
  if (event.test) return <span className="text-muted">Sample data, not about your records.</span>
  return (
    <ul className="inline-flex flex-wrap gap-x-3 gap-y-1">
      {PAGES.map(([member, to, text]) => {
        const id = event.data[member]
        if (typeof id !== 'string') return null
        return (
          <li key={member}>
            {isProjectDeleted || (member === 'article_id' && event.event === 'article.deleted') ? (
              <span className="text-muted">{text} (deleted)</span>
            ) : (
              <Link to={to} params={{ mode, id }} className={INLINE_LINK}>
                {text}
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** False until all projects are loaded. While they are loaded again, one that is missing may be new. */
const useIsProjectDeleted = (id: unknown): boolean => {
  const { rows, hasNextPage, isFetching, isError } = useProjects()
  // A deleted project does not come back.
  const deletedId = useRef<unknown>(undefined)
  const isComplete = !hasNextPage && !isFetching && !isError
  if (rows !== undefined && isComplete && !rows.some(project => project.id === id))
    deletedId.current = id
  return id !== undefined && deletedId.current === id
}
