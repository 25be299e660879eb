import { table } from '../print'

/**
 * A line for each member, and for each of an object in it (`error.code`). Text of several lines, such as the body of an
 * article, comes after them, and then each list of objects as a table.
 */
export const toLines = (record: object): string => {
  const members = membersOf(record)
  const lists = members.flatMap(([name, value]) => (isList(value) ? [[name, value] as const] : []))
  const cells = members
    .filter(([, value]) => !isList(value))
    .map(([name, value]) => [name, toCell(value)] as const)
  const isText = (value: string) => value.includes('\n')
  return [
    table(cells.filter(([, value]) => !isText(value))),
    ...cells.filter(([, value]) => isText(value)).map(([name, value]) => `\n${name}\n${value}`),
    ...lists.map(([name, value]) => `\n${name}\n${toTable(value)}`),
  ].join('\n')
}

const membersOf = (record: object, prefix = ''): (readonly [name: string, value: unknown])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? membersOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value]],
  )

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

const toTable = (records: readonly object[]): string => {
  const rows = records.map(record => membersOf(record))
  return table([
    (rows[0] ?? []).map(([name]) => name.replaceAll('_', ' ').toUpperCase()),
    ...rows.map(row => row.map(([, value]) => toCell(value))),
  ])
}

/** Of null, an empty list and an empty object: a dash. */
const toCell = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(toCell).join(', ') || '-'
  return value === null || isObject(value) ? '-' : String(value)
}
