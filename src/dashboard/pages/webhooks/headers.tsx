import { Plus, X } from 'lucide-react'
import type { Detail } from '../../../errors'
import { Button, IconButton } from '../kit/controls/button'
import { Group, PlainInput } from '../kit/forms/form'

/** A row of the form. A stored header has no value until a new one is entered. */
export type HeaderRow = { key: string; name: string; value: string; isStored: boolean }

export const storedRows = (headers: { [name: string]: string }): HeaderRow[] =>
  Object.keys(headers).map(name => ({ key: name, name, value: '', isStored: true }))

/** What a PATCH sends: new values, and null for stored headers that were removed. Undefined without a change. */
export const headerChanges = (
  rows: readonly HeaderRow[],
  stored: { [name: string]: string } = {},
): { [name: string]: string | null } | undefined => {
  const named = new Set(rows.map(one => one.name.toLowerCase()))
  const changes = [
    ...Object.keys(stored)
      .filter(name => !named.has(name.toLowerCase()))
      .map(name => [name, null] as const),
    ...rows
      .filter(({ isStored, name, value }) => (isStored ? value !== '' : name + value !== ''))
      .map(({ name, value }) => [name, value] as const),
  ]
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/** Names that several rows have: the server gets an object, which has only the last of them. */
export const findRepeatedHeaders = (rows: readonly HeaderRow[]): Detail[] => {
  const names = rows.map(({ name }) => name.toLowerCase())
  return rows
    .filter(({ name }, n) => name !== '' && names.indexOf(name.toLowerCase()) < n)
    .map(({ name }) => ({
      path: `headers.${name}`,
      message: 'is there twice. Upper and lower case are the same header.',
    }))
}

type Props = { of: readonly HeaderRow[]; onChange: (rows: HeaderRow[]) => void }

/** Custom headers: names and values. Values are never shown again. */
export const HeaderFields = ({ of: rows, onChange }: Props) => {
  const change = (row: HeaderRow, changed: Partial<HeaderRow>) =>
    onChange(rows.map(one => (one === row ? { ...one, ...changed } : one)))
  return (
    <Group
      label="Headers"
      name="headers"
      hint="Sent with each delivery, for example an API key of the endpoint. Values are stored encrypted and not shown again."
    >
      <div className="space-y-2">
        {rows.map((row, n) => (
          <div key={row.key} className="flex items-center gap-2">
            <PlainInput
              autoFocus={!row.isStored}
              aria-label={`Name of header ${n + 1}`}
              placeholder="Authorization"
              readOnly={row.isStored}
              value={row.name}
              onChange={event => change(row, { name: event.target.value })}
            />
            <PlainInput
              aria-label={`Value of header ${n + 1}`}
              placeholder={row.isStored ? 'Keep the stored value' : 'Value'}
              value={row.value}
              onChange={event => change(row, { value: event.target.value })}
            />
            <IconButton
              label={`Remove header ${row.name || n + 1}`}
              onClick={() => onChange(rows.filter(one => one !== row))}
            >
              <X />
            </IconButton>
          </div>
        ))}
        <Button
          onClick={() =>
            onChange([...rows, { key: crypto.randomUUID(), name: '', value: '', isStored: false }])
          }
        >
          <Plus className="size-3.5" aria-hidden /> Add header
        </Button>
      </div>
    </Group>
  )
}
