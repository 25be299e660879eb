/**
 * Text for a terminal. Threat: a receiver's response, a key's name or an error text of another system contains
 * escape sequences that rewrite lines, set the title or the clipboard, or reorder what a person reads. Everything
 * that a command prints passes here.
 */

/** C0 without tab and line feed, DEL, C1, and the characters that change the direction of text. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /(\x1b\[(?:0|1|2|22|3[1-7]|39|90)m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The text with U+FFFD for each control character. Colours stay, which cannot hide or move text. */
export const toTerminalText = (text: string): string =>
  text.replace(CONTROLS, (_, colour: string | undefined) => colour ?? '\ufffd')

/** The same for JSON, which stays the same value: a control character becomes its escape. */
export const toTerminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    CONTROLS,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A part of one line, such as a title: every C0 and C1 control, line feed and tab included, becomes a space. */
export const toTerminalLine = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
