import { Link } from '@tanstack/react-router'
import type { FailingHost } from '../../../webhooks/deliveries/incident'
import { capitalize } from '../kit/sentence'
import { useMode } from '../mode'

/** Reasons on screen. */
const SHOWN = 8
const NUMBER = new Intl.NumberFormat('en')

type Props = {
  of: FailingHost['reasons']
  /** The total that the bars are shares of. */
  all: number
  /** The deliveries page's filter for a reason. */
  search: (error: string) => Record<string, string | undefined>
}

/** Reasons of failures, the most common first, with links to their deliveries. */
export const ReasonList = ({ of: reasons, all, search }: Props) => {
  const mode = useMode()
  return (
    <ul aria-label="Reasons" className="space-y-0.5 p-2">
      {reasons.slice(0, SHOWN).map(({ error, failed, retrying }) => (
        <li key={error}>
          <Link
            to="/$mode/deliveries"
            params={{ mode }}
            search={search(error) as never}
            className="relative flex items-center justify-between gap-4 overflow-hidden rounded-md px-2 py-1.5 text-sm hover:bg-hover"
          >
            <span
              aria-hidden
              className="absolute inset-y-0 left-0 rounded-md bg-bad-soft"
              style={{ width: `${(100 * (failed + retrying)) / all}%` }}
            />
            <span className="relative min-w-0 break-words">{capitalize(error)}</span>
            <span className="num relative shrink-0 font-medium">
              {NUMBER.format(failed + retrying)}
            </span>
          </Link>
        </li>
      ))}
      {reasons.length > SHOWN && (
        <li className="px-2 py-1 text-xs text-muted">and {reasons.length - SHOWN} more</li>
      )}
    </ul>
  )
}
