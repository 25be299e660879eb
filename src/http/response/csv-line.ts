import { stringify } from 'csv-stringify/sync'

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading apostrophe, because names
 * are user input.
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  stringify([cells], { record_delimiter: 'windows', escape_formulas: true })
