/**
 * Text for a terminal. Threat: a receiver's response, a key's name or an error text of another system contains
 * escape sequences that rewrite lines, set the title or the clipboard, or reorder what a person reads, or line feeds
 * that add a row to a table. Text is cleaned before colours of our own are added, so no escape of another system stays.
 */

/** C0 without tab and line feed, DEL, C1, and the characters that change the direction of text. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The text with U+FFFD for each control character but tab and line feed. */
export const toTerminalText = (text: string): string => text.replace(CONTROLS, '\ufffd')

/** The same for JSON, which stays the same value: a control character becomes its escape. */
export const toTerminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    CONTROLS,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A part of one line, such as a cell of a table: tab, line feed and carriage return become a space. */
export const toTerminalLine = (text: string): string =>
  toTerminalText(text.replaceAll(/[\t\n\r]/g, ' '))
