import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  chooseNamed,
  describeNamed,
  readWholeNumber,
  say,
  temporaryRoot,
} from '../support/operations/script'
import type { Disaster } from './disaster'
import { DISASTERS } from './disasters/all'
import { startOperator } from './operator'

/**
 * `bun run disasters`: the procedures of docs/operations.md for backup and disasters, typed block by block while
 * Arden runs. Exit code 1 when a command fails, prints something else than the document shows, or a promise is broken.
 */

const HELP = `Usage: bun run disasters [options] [disasters]

Follows the procedures of docs/operations.md on servers of its own, and prints each command, what it printed and how
long it took. Without a name, all run one after the other. The exit code is 1 when one of them does not do what the
document says.

Disasters:
${describeNamed(DISASTERS)}

Options:
  --seed <n>   the random values
  --help       print this
`

/** The longest of them takes three minutes on two idle cores. */
const LIMIT_MS = 15 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const disasters = chooseNamed('disaster', DISASTERS, positionals)
const seed = readWholeNumber('seed', values.seed, 0)
const root = temporaryRoot('arden-disasters-')

const runDisaster = async (disaster: Disaster): Promise<void> => {
  const dir = join(root, disaster.name)
  mkdirSync(dir, { mode: 0o711 })
  const stops: (() => unknown)[] = []
  const operator = await startOperator(dir, say)
  try {
    await disaster.run({ dir, operator, seed, say, onEnd: stop => stops.push(stop) })
    const skipped = disaster.blocks.filter(name => !operator.followed.has(name))
    if (skipped.length > 0) throw new Error(`it did not type the blocks ${skipped.join(', ')}`)
  } finally {
    for (const stop of stops.reverse()) await stop()
    await operator.close()
  }
}

const timeLimit = (name: string) =>
  setTimeout(() => {
    process.stderr.write(`${name} takes longer than ${LIMIT_MS / 60_000} minutes\n`)
    process.exit(1)
  }, LIMIT_MS)

let failed = 0
for (const disaster of disasters) {
  const missing = disaster.missing?.()
  if (missing !== undefined) {
    say(`${disaster.name} is skipped: ${missing}.`)
    continue
  }
  const began = performance.now()
  const limit = timeLimit(disaster.name)
  const error = await runDisaster(disaster).then(
    () => undefined,
    error => error,
  )
  clearTimeout(limit)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  if (error === undefined) say(`ok      ${disaster.name} (${seconds} s)\n`)
  else {
    failed++
    say(
      `FAILED  ${disaster.name} (${seconds} s): ${error instanceof Error ? error.stack : error}\n`,
    )
  }
}
process.exit(failed === 0 ? 0 : 1)
