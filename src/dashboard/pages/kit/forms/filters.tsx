import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type ComponentProps, useEffect, useState } from 'react'
import { cx } from '../classes'

/**
 * Filters are in the address, so that links and the back button restore them. `useFilters('status')` returns
 * the current values and a setter; an empty text removes a filter.
 */
export const useFilters = <Name extends string>(...names: Name[]) => {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const values = Object.fromEntries(names.map(name => [name, search[name]])) as {
    [name in Name]: string | undefined
  }
  const set = (name: Name, value: string) =>
    navigate({
      to: '.',
      search: (before: object) => ({ ...before, [name]: value || undefined }),
      replace: true,
      resetScroll: false,
    })
  return [values, set] as const
}

const CONTROL =
  'h-8 rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-low hover:border-faint max-sm:h-9 max-sm:text-[16px]'

type SelectProps = {
  label: string
  value: string | undefined
  onChange: (value: string) => void
  /** Values and texts. The first is the default; its value may be empty. */
  options: readonly (readonly [value: string, text: string])[]
}

/** Selects one of several values. A long one, such as a URL, is cut off. */
export const FilterSelect = ({ label, value, onChange, options }: SelectProps) => (
  <select
    aria-label={label}
    value={value ?? options[0]?.[0]}
    onChange={event => onChange(event.target.value)}
    className={cx(CONTROL, 'max-w-60 truncate max-sm:max-w-full max-sm:min-w-0 max-sm:grow')}
  >
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
)

const TYPED_MS = 300

type TextProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  label: string
  value: string | undefined
  onChange: (value: string) => void
}

/** A text, applied after a pause in typing. */
export const FilterText = ({ label, value = '', onChange, className, ...rest }: TextProps) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), TYPED_MS)
    return () => clearTimeout(timer)
  })
  return (
    <span className={cx('relative inline-flex', className)}>
      <Search
        aria-hidden
        className="absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        {...rest}
        value={text}
        onChange={event => setText(event.target.value)}
        className={cx(CONTROL, 'w-full pl-8')}
      />
    </span>
  )
}

/** Characters, as the lists of the API permit (contract 1.12). */
const SEARCH_MAX = 300

type SearchProps = Pick<TextProps, 'value' | 'onChange'> & {
  /** What the text is searched in. */
  members: string
}

/** Searches a list by words in its records. */
export const FilterSearch = ({ members, ...rest }: SearchProps) => (
  <FilterText
    {...rest}
    label="Search this list"
    placeholder={members}
    maxLength={SEARCH_MAX}
    className="w-56 max-sm:w-full"
  />
)

/** The `search` of a list for the text of a `FilterSearch`: blanks alone search for nothing. */
export const toSearch = (text: string | undefined): string | undefined => text?.trim() || undefined

type PeriodProps = {
  from: string | undefined
  to: string | undefined
  onChange: (end: 'from' | 'to', day: string) => void
}

/** The first and the last day of a period, in the browser's time zone, as `2026-01-31`. */
export const FilterPeriod = ({ from, to, onChange }: PeriodProps) => (
  <span className="flex gap-2 max-sm:w-full max-sm:flex-col">
    <FilterDate label="From" value={from} onChange={day => onChange('from', day)} />
    <FilterDate label="To" value={to} onChange={day => onChange('to', day)} />
  </span>
)

type DateProps = Pick<TextProps, 'label' | 'value' | 'onChange'>

const FilterDate = ({ label, value = '', onChange }: DateProps) => (
  <label className="inline-flex items-center gap-1.5 text-sm text-muted max-sm:w-full">
    <span className="max-sm:w-10">{label}</span>
    <input
      type="date"
      value={value}
      onChange={event => onChange(event.target.value)}
      className={cx(CONTROL, 'text-text max-sm:grow')}
    />
  </label>
)

/** When a day of a date field begins, in the browser's time zone; undefined for an invalid day. */
export const beginningOf = (day: string | undefined, daysLater = 0): string | undefined => {
  if (day === undefined) return undefined
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}
