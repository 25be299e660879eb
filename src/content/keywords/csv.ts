import { CsvError, parse } from 'csv-parse/sync'
import type { Detail } from '../../errors'
import { checkNewKeyword, type KeywordImportResult } from './batch-schema'
import { CSV_LINES_MAX, describeWrongFile } from './csv-file'
import { type Keyword, type NewKeyword, TAG_MAX } from './schema'

/** Keywords as a CSV file (contract 6.22). */

/** Columns of an exported file. Those after `tags` are ignored by an import. */
export const CSV_COLUMNS = [
  'keyword',
  'country',
  'device',
  'tracked',
  'tags',
  'latest_position',
  'position_change',
  'latest_checked_at',
  'id',
  'created_at',
] as const

const WRITTEN_COLUMNS = CSV_COLUMNS.slice(0, 5).join(', ')

/** Characters of the file that an error shows. */
const SHOWN_MAX = 100
/** Parts of a cell that are read: more than a keyword may have tags. */
const TAGS_READ = 50

type CsvErrorLine = KeywordImportResult['errors'][number]

export const toCells = (keyword: Keyword): (string | number | null)[] => [
  keyword.keyword,
  keyword.country,
  keyword.device,
  String(keyword.tracked),
  keyword.tags.join(';'),
  keyword.latest_position,
  keyword.position_change,
  keyword.latest_checked_at,
  keyword.id,
  keyword.created_at,
]

/** The valid keywords of a file, and what is wrong with its other lines. `country` is that of lines without one. */
export const readKeywordCsv = (
  text: string,
  country?: string,
): { keywords: NewKeyword[]; errors: CsvErrorLine[] } => {
  const wrongFile = describeWrongFile(text)
  if (wrongFile !== undefined) return reject(1, wrongFile)
  const lines = parseLines(text)
  if ('error' in lines) return { keywords: [], errors: [lines.error] }
  const [head, ...records] = lines
  const names = (head?.record ?? []).map(name => name.trim().toLowerCase())
  const isColumn = (name: string) => (CSV_COLUMNS as readonly string[]).includes(name)
  if (!names.includes('keyword'))
    return reject(
      head?.line,
      `The header has no column keyword. The first line must name the columns: ${WRITTEN_COLUMNS}.`,
    )
  const unknown = new Set(names.filter(name => !isColumn(name)))
  if (unknown.size > 0)
    return {
      keywords: [],
      errors: [...unknown].map(name => ({
        line: head?.line ?? 1,
        column: shown(name) || null,
        message: `${name === '' ? 'A column has no name' : 'is no column'}. Columns are ${WRITTEN_COLUMNS}.`,
      })),
    }
  if (new Set(names).size < names.length)
    return reject(head?.line, 'The header names a column twice.')
  if (records.length > CSV_LINES_MAX)
    return reject(head?.line, `must have at most ${CSV_LINES_MAX} keywords. Divide the file.`)
  const errors: CsvErrorLine[] = []
  const keywords: NewKeyword[] = []
  for (const { record, line } of records) {
    if (record.length !== names.length) {
      const message = `has ${record.length} columns, and the header has ${names.length}.`
      errors.push({ line, column: null, message })
      continue
    }
    const input = toInput(new Map(names.map((name, n) => [name, record[n] ?? ''])), country)
    const wrong: Detail[] = []
    if (checkNewKeyword(input, wrong)) keywords.push(input)
    errors.push(...onePerColumn(wrong).map(([column, message]) => ({ line, column, message })))
  }
  return { keywords, errors }
}

/** The first error of each column: a cell of tags has several members. */
const onePerColumn = (wrong: readonly Detail[]): [column: string, message: string][] => {
  const first = new Map<string, string>()
  for (const { path, message } of wrong) {
    const [column = path, ...tag] = path.split('.')
    if (!first.has(column)) first.set(column, tag.length === 0 ? message : TAG_MESSAGE)
  }
  return [...first]
}

/** The API's message is about one tag. In a file, the tags themselves are often divided wrongly. */
const TAG_MESSAGE = `must be tags divided by semicolons, each of at most ${TAG_MAX} characters and without commas, tabs and line breaks.`

const shown = (text: string) =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`

const reject = (line = 1, message: string) => ({
  keywords: [],
  errors: [{ line, column: null, message }],
})

/** Spreadsheets divide columns by semicolons where a comma is in numbers, and by tabs in pasted text. */
const DIVIDERS = [',', ';', '\t'] as const

/** The first line that a spreadsheet writes for itself. */
const SEPARATOR = /^\uFEFF?"?sep=(.)"?[,;\t]{0,20}(?=[\r\n])/i
/** Lines among which the header is: above it there can be empty cells. */
const HEAD_LINES = 10

/**
 * What the file names, or the first by which the header names the column `keyword`. Without both, the most frequent one in
 * the header: the file is refused for its header then, and not for quotes that are right with their own divider.
 */
const dividerOf = (given: string | undefined, table: string): string => {
  const head = table.split(/[\r\n]+/, HEAD_LINES).find(line => /[^\s,;"]/.test(line)) ?? ''
  const namesKeyword = (divider: string) =>
    head.split(divider).some(
      cell =>
        cell
          .replace(/["\uFEFF]/g, '')
          .trim()
          .toLowerCase() === 'keyword',
    )
  const columns = (divider: string) => head.split(divider).length
  return (
    DIVIDERS.find(one => one === given) ??
    DIVIDERS.find(namesKeyword) ??
    DIVIDERS.reduce((most, one) => (columns(one) > columns(most) ? one : most))
  )
}

/** Empty cells are absent members, which have their defaults. */
const toInput = (cells: Map<string, string>, defaultCountry: string | undefined): unknown => {
  const cell = (name: string) => (cells.get(name) ?? '').trim() || undefined
  const [keyword, device] = [cell('keyword'), cell('device')]
  const country = cell('country') ?? defaultCountry
  // The Turkish ı is the lower case of I there.
  const [tracked, tags] = [cell('tracked')?.toLowerCase().replaceAll('ı', 'i'), cell('tags')]
  return {
    keyword: unescapeFormula(keyword ?? ''),
    ...(country !== undefined && { country: country.toUpperCase() }),
    ...(device !== undefined && { device: device.toLowerCase() }),
    ...(tracked !== undefined && { tracked: TRACKED.get(tracked) ?? tracked }),
    ...(tags !== undefined && {
      tags: unescapeFormula(tags)
        .split(';', TAGS_READ)
        .map(tag => tag.trim())
        .filter(tag => tag !== ''),
    }),
  }
}

/** As spreadsheets of these languages write them. */
const TRUE_FALSE = {
  en: ['true', 'false'],
  ca: ['cert', 'fals'],
  cs: ['pravda', 'nepravda'],
  da: ['sand', 'falsk'],
  de: ['wahr', 'falsch'],
  es: ['verdadero', 'falso'],
  et: ['tõene', 'väär'],
  fi: ['tosi', 'epätosi'],
  fr: ['vrai', 'faux'],
  hu: ['igaz', 'hamis'],
  it: ['vero', 'falso'],
  nb: ['sann', 'usann'],
  nl: ['waar', 'onwaar'],
  pl: ['prawda', 'fałsz'],
  pt: ['verdadeiro', 'falso'],
  ro: ['adevărat', 'fals'],
  ru: ['истина', 'ложь'],
  sv: ['sant', 'falskt'],
  tr: ['doğru', 'yanliş'],
} satisfies Record<string, [yes: string, no: string]>

const TRACKED = new Map(
  Object.values(TRUE_FALSE).flatMap(([yes, no]): [string, boolean][] => [
    [yes, true],
    [no, false],
  ]),
)

/** Without the apostrophe that an export puts before what a spreadsheet would run as a formula. */
const unescapeFormula = (text: string) => text.replace(/^'(?=[=+\-@\t\r])/, '')

/** By the codes of the parser, whose messages repeat cells of the file: the request log keeps errors. */
const WRONG_QUOTES = new Map<string, string>([
  ['CSV_QUOTE_NOT_CLOSED', 'a quote that opens a cell is not closed'],
  ['INVALID_OPENING_QUOTE', 'a quote is within a cell that does not begin with one'],
  ['CSV_INVALID_CLOSING_QUOTE', 'text follows the quote that closes a cell'],
])

/** `line`: where the record begins in the file. */
type Line = { record: string[]; line: number }

const parseLines = (text: string): Line[] | { error: CsvErrorLine } => {
  const [separator = '', given] = SEPARATOR.exec(text) ?? []
  // The library counts a CRLF within a cell as two lines.
  const table = text.slice(separator.length).replace(/\r\n?/g, '\n')
  let linesRead = 0
  try {
    // The types of the library do not know `info`, whose `lines` is where the record ends.
    const parsed = parse(table, {
      bom: true,
      delimiter: dividerOf(given, table),
      info: true,
      relax_column_count: true,
      // A spreadsheet writes lines of empty cells below a table.
      skip_records_with_empty_values: true,
      // One more than permitted shows that there are too many.
      to: CSV_LINES_MAX + 2,
      on_record: (record, { lines }) => {
        linesRead = lines
        return record
      },
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return parsed.map(({ record, info }) => ({ record, line: info.lines - breaksIn(record) }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Where the record begins: a quote that is not closed is noticed lines later, or at the end.
    const lines = table.split('\n')
    const begin = lines.findIndex(
      (line, n) => n >= linesRead && /[^\s,;]/.test(line.replace(/"\s*"/g, '')),
    )
    return {
      error: {
        line: begin + 1,
        column: null,
        message: `is not valid CSV: ${WRONG_QUOTES.get(error.code) ?? 'the quotes of a cell are wrong'}.`,
      },
    }
  }
}

const breaksIn = (record: string[]) => record.join('').split('\n').length - 1
