import { styleText } from 'node:util'
import { toTerminalJson, toTerminalLine, toTerminalText } from '../terminal'

/** Clean text with colours of our own, which `print` leaves as they are. */
class StyledText {
  constructor(readonly text: string) {}
}

export type { StyledText }

/** The result of a command, on stdout: one JSON value for programs, or aligned text. */
export const print = (text: string | StyledText): void => {
  process.stdout.write(`${toOutput(text)}\n`)
}

export const printJson = (value: unknown): void => print(toTerminalJson(value))

/** Everything that is not the result goes to stderr, so that stdout is JSON only. */
export const printNote = (style: 'bold' | 'dim' | 'yellow', text: string): void => {
  process.stderr.write(`${styled(style, text, process.stderr).text}\n`)
}

export const printError = (text: string): void => {
  process.stderr.write(`${toTerminalText(text)}\n`)
}

export type Style = Parameters<typeof styleText>[0]

/** A part of one line. Colour only where `stream` is a terminal, unless NO_COLOR or FORCE_COLOR is set. */
export const styled = (
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): StyledText => new StyledText(styleText(style, toTerminalLine(text), { stream }))

/** One line of several parts. Text that is not styled is cleaned. */
export const joinLine = (parts: readonly (string | StyledText)[], separator: string): StyledText =>
  new StyledText(
    parts
      .map(part => (part instanceof StyledText ? part.text : toTerminalLine(part)))
      .join(separator)
      .trimEnd(),
  )

/** Lines of columns, each as wide as its widest cell on a terminal, where some characters take two places. No cell can add a line or a column. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const lines = rows.map(row => row.map(toTerminalLine))
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map(line => Bun.stringWidth(line[column] ?? ''))),
  )
  return lines
    .map(line =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const toOutput = (text: string | StyledText) =>
  text instanceof StyledText ? text.text : toTerminalText(text)
