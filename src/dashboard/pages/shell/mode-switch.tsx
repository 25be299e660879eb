import { Link, useLocation } from '@tanstack/react-router'
import { cx } from '../kit/classes'
import { useMode } from '../mode'

/** Links to the same page of the other mode. */
export const ModeSwitch = () => {
  const mode = useMode()
  // From `/live/webhooks/wh_1` to the list: the record does not exist in the other mode.
  const section = useLocation({ select: ({ pathname }) => pathname.split('/')[2] ?? '' })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div
      role="group"
      aria-label="Mode"
      className="flex rounded-lg border border-line bg-sunken p-0.5"
    >
      {(['live', 'test'] as const).map(one => (
        <Link
          key={one}
          to={`/${one}/${section}` as '/'}
          search={{}}
          aria-current={one === mode || undefined}
          className={cx(
            'flex h-6.5 grow items-center justify-center rounded-md px-3 text-xs font-semibold transition-colors max-lg:h-8 max-lg:px-4',
            one === mode ? 'bg-accent-solid text-white shadow-low' : 'text-muted hover:text-text',
          )}
        >
          {one === 'live' ? 'Live' : 'Test'}
        </Link>
      ))}
    </div>
  )
}
