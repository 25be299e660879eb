import { Link, useMatchRoute } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { cx } from '../kit/classes'
import { useMode } from '../mode'
import { DOCS, GROUPS } from './page-list'

const LINK =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm font-medium text-muted transition-colors hover:bg-hover hover:text-text max-lg:py-2.5'

/** Links to every page. `onGo` closes the drawer. */
export const Navigation = ({ onGo }: { onGo?: () => void }) => {
  const mode = useMode()
  const isKeyword = useMatchRoute()({ to: '/$mode/keywords/$id' }) !== false
  return (
    <nav aria-label="Pages" className="space-y-4">
      {GROUPS.map(([name, items]) => (
        <div key={name ?? ''}>
          {name !== undefined && <GroupName>{name}</GroupName>}
          <ul className="space-y-px">
            {items.map(([to, text, Icon]) => {
              // Keywords have no list but that of their project.
              const isParent = isKeyword && to === '/$mode/projects'
              return (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ mode }}
                    activeOptions={{ exact: to === '/$mode', includeSearch: false }}
                    {...(onGo && { onClick: onGo })}
                    {...(isParent && { 'aria-current': true })}
                    className={cx(
                      LINK,
                      '[&.active]:bg-accent-soft [&.active]:text-accent',
                      isParent && 'active',
                    )}
                  >
                    <Icon aria-hidden className="size-4 shrink-0" />
                    {text}
                  </Link>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
      <div>
        <GroupName>Documentation</GroupName>
        <ul className="space-y-px">
          {DOCS.map(([href, text, Icon]) => (
            <li key={href}>
              <a href={href} target="_blank" rel="noreferrer" className={LINK}>
                <Icon aria-hidden className="size-4 shrink-0" />
                {text}
                <ExternalLink role="img" aria-label="opens a new tab" className="ml-auto size-3" />
              </a>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  )
}

const GroupName = ({ children }: { children: string }) => (
  <p className="mb-1 px-2 text-xs font-medium text-faint">{children}</p>
)
