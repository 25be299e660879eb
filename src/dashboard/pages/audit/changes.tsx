import { exactTime } from '../kit/controls/time'

/** The changes of an entry: old and new values, or initial ones. */
export const Changes = ({ of: changes }: { of: Record<string, unknown> }) => {
  const members = Object.entries(changes)
  if (members.length === 0) return null
  return (
    <ul className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-muted">
      {members.map(([name, value]) => (
        <li key={name} className="min-w-0 [overflow-wrap:anywhere]">
          {name.replaceAll('_', ' ')}:{' '}
          {isTransition(value) ? (
            <>
              <del className="text-faint no-underline">{formatValue(value.from)}</del>
              {' → '}
              <ins className="text-text no-underline">
                {formatValue(value.to)}
                {/* Of a URL only the host is recorded. */}
                {formatValue(value.to) === formatValue(value.from) && ' (another path)'}
              </ins>
            </>
          ) : (
            <span className="text-text">{formatValue(value)}</span>
          )}
        </li>
      ))}
    </ul>
  )
}

const isTransition = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? exactTime(text) : text
}
