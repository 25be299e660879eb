import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Disaster } from './disaster'
import { DISASTERS } from './disasters/all'
import { startOperator } from './operator'

/**
 * `bun run disasters`: the procedures of docs/operations.md for backup and disasters, typed block by block while
 * Arden runs. Exit code 1 when a command fails, prints something else than the document shows, or a promise is broken.
 */

const width = Math.max(...DISASTERS.map(one => one.name.length))
const HELP = `Usage: bun run disasters [options] [disasters]

Follows the procedures of docs/operations.md on servers of its own, and prints each command, what it printed and how
long it took. Without a name, all run one after the other. The exit code is 1 when one of them does not do what the
document says.

Disasters:
${DISASTERS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}

Options:
  --seed <n>   the random values
  --help       print this
`

/** The longest of them takes three minutes on two idle cores. */
const LIMIT_MS = 15 * 60_000

const say = (line: string) => process.stdout.write(`${line}\n`)
const refuse = (line: string): never => {
  process.stderr.write(`${line}\n`)
  process.exit(2)
}

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
const disasterNamed = (name: string): Disaster =>
  DISASTERS.find(one => one.name === name) ??
  refuse(`There is no disaster "${name}": ${DISASTERS.map(one => one.name).join(', ')}.`)
const disasters = positionals.length === 0 ? DISASTERS : positionals.map(disasterNamed)
const seed = /^\d+$/.test(values.seed)
  ? Number(values.seed)
  : refuse(`--seed is "${values.seed}"; it takes a whole number from 0.`)

const root = await mkdtemp(join(tmpdir(), 'arden-disasters-'))
chmodSync(root, 0o711) // PostgreSQL, which may run as another user, has to pass through.
process.once('exit', () => rmSync(root, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130))

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
