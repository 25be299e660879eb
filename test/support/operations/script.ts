import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the scripts of package.json share that start Arden and disturb it: `faults`, `disasters`, `bench` and others. */

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Ends the process: wrong usage. */
export const refuse = (line: string): never => {
  process.stderr.write(`${line}\n`)
  process.exit(2)
}

/** A new folder, which is removed when the process ends, also by a signal. */
export const temporaryRoot = (prefix: string): string => {
  const root = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(root, 0o711) // PostgreSQL, which may run as another user, has to pass through.
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(130))
  return root
}

type Named = { name: string; about: string }

/** Names and what they are about, for --help. */
export const describeNamed = (all: readonly Named[]): string => {
  const width = Math.max(...all.map(one => one.name.length))
  return all.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')
}

/** Those with the names, in their order; all without a name. Refuses an unknown one. `kind` is "fault" and the like. */
export const chooseNamed = <T extends Named>(
  kind: string,
  all: readonly T[],
  names: readonly string[],
): readonly T[] =>
  names.length === 0
    ? all
    : names.map(
        name =>
          all.find(one => one.name === name) ??
          refuse(
            `There is no ${kind} "${name}". Choose from: ${all.map(one => one.name).join(', ')}.`,
          ),
      )

/** The value of an option. Refuses what is no whole number, or is below `min`. */
export const readWholeNumber = (option: string, text: string, min: number): number =>
  /^\d+$/.test(text) && Number(text) >= min
    ? Number(text)
    : refuse(`--${option} is "${text}"; it takes a whole number from ${min}.`)
