/**
 * One line of CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe:
 * names are what anybody has typed.
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map(cell => quoted(harmless(cell ?? ''))).join(',')}\r\n`

const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
