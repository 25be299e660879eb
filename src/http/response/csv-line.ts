import { stringify } from 'csv-stringify/sync'

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading apostrophe, because names
 * are user input. A number is none, also a negative one.
 */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  stringify([cells], {
    record_delimiter: 'windows',
    escape_formulas: true,
    cast: { number: value => ({ value: String(value), escape_formulas: false }) },
  })
