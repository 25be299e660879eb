import { useSyncExternalStore } from 'react'

/** "3 minutes ago", exact on hover. It updates automatically. */
export const Time = ({ at, empty = 'never' }: { at: string | null; empty?: string }) => {
  useTicks()
  if (at === null) return <span className="text-faint">{empty}</span>
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {/* Not the last tick of the clock: newer records would be in the future. */}
      {relative(at) ?? DAY.format(new Date(at))}
    </time>
  )
}

/** "in 3 days (Nov 26, 2026, 09:00:00 UTC)", or the exact time alone where the relative one would be its date. */
export const FullTime = ({ at }: { at: string }) => {
  useTicks()
  const distance = relative(at)
  return (
    <time dateTime={at}>
      {distance === undefined ? exactTime(at) : `${distance} (${exactTime(at)})`}
    </time>
  )
}

/** Renders the component again every 10 s. */
export const useTicks = (): void => {
  useSyncExternalStore(subscribe, () => tick)
}

/** In the browser's time zone, to the second, with the zone. */
export const exactTime = (at: string): string => EXACT.format(new Date(at))

const EXACT = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle: 'h23',
})
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
] as const

/** Undefined beyond 30 days. Days are those of the calendar: 33 hours can end on the day after tomorrow. */
const relative = (at: string): string | undefined => {
  const time = new Date(at)
  let left = (time.getTime() - Date.now()) / 1000
  if (Math.abs(left) < 5) return 'just now'
  for (const [unit, size] of STEPS) {
    if (Math.abs(left) < size)
      return RELATIVE.format(unit === 'day' ? daysUntil(time) : Math.round(left), unit)
    left /= size
  }
  return undefined
}

/** Midnights between now and then, in the browser's time zone. Rounded, because a day of a time change has 23 or 25 hours. */
const daysUntil = (time: Date): number =>
  Math.round((midnight(time) - midnight(new Date())) / (24 * 60 * 60 * 1000))

const midnight = (time: Date): number => new Date(time).setHours(0, 0, 0, 0)

/** Interval of the clock that all of them share, in ms. */
const STEP_MS = 10_000
let tick = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  tick = Date.now()
  for (const listener of listeners) listener()
}, STEP_MS)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
