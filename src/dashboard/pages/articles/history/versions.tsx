import { Link } from '@tanstack/react-router'
import type { ArticleVersion } from '../../../../content/articles/version-schema'
import { cx } from '../../kit/classes'
import { Badge } from '../../kit/controls/badge'
import { Button } from '../../kit/controls/button'
import { Time } from '../../kit/controls/time'
import { useMode } from '../../mode'

type Props = {
  articleId: string
  versions: readonly ArticleVersion[]
  selected: number
  onMore: (() => void) | undefined
}

/** The versions of an article, as links that select one. */
export const Versions = ({ articleId, versions, selected, onMore }: Props) => {
  const mode = useMode()
  return (
    <nav
      aria-label="Versions"
      className="max-h-62 overflow-y-auto p-1.5 lg:max-h-[70vh] print:max-h-none"
    >
      <ul>
        {versions.map(one => (
          <li key={one.version}>
            <Link
              to="/$mode/articles/$id/history"
              params={{ mode, id: articleId }}
              search={{ version: String(one.version) }}
              replace
              resetScroll={false}
              aria-current={one.version === selected}
              className={cx(
                'block rounded-md px-2.5 py-2 hover:bg-hover',
                one.version === selected && 'bg-accent-soft',
              )}
            >
              <span className="flex items-center justify-between gap-2">
                <span className="font-medium">Version {one.version}</span>
                {one.is_current && <Badge tone="good">Current</Badge>}
              </span>
              <span className="block text-sm break-words">{nameOf(one.author)}</span>
              <span className="block text-xs text-muted">
                <Time at={one.created_at} /> ·{' '}
                {changeOf(one, one === versions.at(-1) && onMore === undefined)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {onMore && (
        <div className="p-2">
          <Button onClick={onMore}>Show older versions</Button>
        </div>
      )}
    </nav>
  )
}

const nameOf = ({ type, name }: ArticleVersion['author']) =>
  type === 'key' ? `API key ${name}` : name

const NAMES = {
  title: 'title',
  body: 'body',
  meta_title: 'meta title',
  meta_description: 'meta description',
}

const changeOf = ({ version, changed, restored_from }: ArticleVersion, isOldest: boolean) => {
  if (restored_from !== null) return `restored version ${restored_from}`
  if (changed.length > 0) return changed.map(name => NAMES[name]).join(', ')
  if (version === 1) return 'created'
  // Its author took back what it had changed.
  return isOldest ? 'oldest that is kept' : 'no difference'
}
