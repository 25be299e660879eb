/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading apostrophe,
 * because names are user input.
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map(cell => quote(escapeFormula(cell ?? ''))).join(',')}\r\n`

const escapeFormula = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
