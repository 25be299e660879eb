import { X } from 'lucide-react'
import type { Reason } from '../../../webhooks/deliveries/schema'
import { cx } from '../kit/classes'
import { capitalize } from '../kit/sentence'

/** Reasons on screen. */
const SHOWN = 6
const NUMBER = new Intl.NumberFormat('en')

type Props = {
  reasons: readonly Reason[]
  chosen: string | undefined
  onChoose: (error: string) => void
}

/** Reasons of failures, the most common first. Each filters the list. */
export const Reasons = ({ reasons, chosen, onChoose }: Props) => {
  const shown = reasons.slice(0, SHOWN)
  if (shown.length === 0 && chosen === undefined) return null
  const all =
    chosen === undefined || shown.some(({ error }) => error === chosen)
      ? shown
      : [{ error: chosen, count: 0 }, ...shown]
  return (
    <ul aria-label="Reasons" className="mb-3 flex flex-wrap gap-1.5">
      {all.map(({ error, count }) => {
        const isChosen = error === chosen
        return (
          <li key={error} className="max-w-full">
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => onChoose(isChosen ? '' : error)}
              className={cx(
                'inline-flex max-w-full items-center gap-1.5 rounded-full border px-2.5 py-1 text-xs transition-colors',
                isChosen
                  ? 'border-bad/40 bg-bad-soft text-bad'
                  : 'border-line-strong bg-surface text-muted hover:bg-hover hover:text-text',
              )}
            >
              <span className="truncate">{capitalize(error)}</span>
              {count > 0 && <span className="num font-semibold">{NUMBER.format(count)}</span>}
              {isChosen && <X aria-hidden className="size-3 shrink-0" />}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
