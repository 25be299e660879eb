import { Link } from '@tanstack/react-router'
import { useMode } from '../mode'
import { GROUPS } from './page-list'

/** Links to every page. `onGo` closes the drawer. */
export const Navigation = ({ onGo }: { onGo?: () => void }) => {
  const mode = useMode()
  return (
    <nav aria-label="Pages" className="space-y-4">
      {GROUPS.map(([name, items]) => (
        <div key={name ?? ''}>
          {name !== undefined && <p className="mb-1 px-2 text-xs font-medium text-faint">{name}</p>}
          <ul className="space-y-px">
            {items.map(([to, text, Icon]) => (
              <li key={to}>
                <Link
                  to={to}
                  params={{ mode }}
                  activeOptions={{ exact: to === '/$mode', includeSearch: false }}
                  {...(onGo && { onClick: onGo })}
                  className="flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm font-medium text-muted transition-colors hover:bg-hover hover:text-text max-lg:py-2.5 [&.active]:bg-accent-soft [&.active]:text-accent"
                >
                  <Icon aria-hidden className="size-4 shrink-0" />
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
