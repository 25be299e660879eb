import { styleText } from 'node:util'
import { toTerminalJson, toTerminalText } from '../terminal'

/** The result of a command, on stdout: one JSON value for programs, or aligned text. */
export const print = (text: string): void => {
  process.stdout.write(`${toTerminalText(text)}\n`)
}

export const printJson = (value: unknown): void => print(toTerminalJson(value))

/** Everything that is not the result goes to stderr, so that stdout is JSON only. */
export const printNote = (style: 'dim' | 'yellow', text: string): void => {
  printError(styled(style, text, process.stderr))
}

export const printError = (text: string): void => {
  process.stderr.write(`${toTerminalText(text)}\n`)
}

export type Style = Parameters<typeof styleText>[0]

/** Colour only where `stream` is a terminal, unless NO_COLOR or FORCE_COLOR is set. */
export const styled = (
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string => styleText(style, text, { stream })

/** Lines of columns, each as wide as its widest cell. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(row => row[column]?.length ?? 0)),
  )
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
