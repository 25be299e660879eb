import { Link } from '@tanstack/react-router'
import type { Event } from '../../../webhooks/event-log/schema'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'

/** The members of `data` with ids, and the page of each. */
const PAGES = [
  ['article_id', '/$mode/articles/$id', 'Article'],
  ['keyword_id', '/$mode/keywords/$id', 'Keyword'],
  ['generation_id', '/$mode/generations/$id', 'Generation'],
  ['project_id', '/$mode/projects/$id', 'Project'],
] as const

/** Links to the records that an event is about. The sample of a test names none that exist. */
export const SubjectLinks = ({ of: event }: { of: Pick<Event, 'event' | 'data' | 'test'> }) => {
  const mode = useMode()
  if (event.test) return <span className="text-muted">Sample data, not about your records.</span>
  return (
    <ul className="inline-flex flex-wrap gap-x-3 gap-y-1">
      {PAGES.map(([member, to, text]) => {
        const id = event.data[member]
        if (typeof id !== 'string') return null
        return (
          <li key={member}>
            {member === 'article_id' && event.event === 'article.deleted' ? (
              <span className="text-muted">Article (deleted)</span>
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
