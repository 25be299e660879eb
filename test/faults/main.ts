import { chmodSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LANES } from '../support/lanes'
import { type Report, runFaults } from './run'

/**
 * `bun run faults`: changes through the API while PostgreSQL, Temporal, workers and `serve` are killed with
 * SIGKILL; at the end everything must be accounted for. Exit code 1 when something is lost or wrong.
 */

/** Largest number of lost and of wrong records that are printed. */
const SHOWN = 20

const say = (line: string) => process.stdout.write(`${line}\n`)

const number = (name: string, text: string, min: number) => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min) return value
  process.stderr.write(`--${name} is "${text}"; it takes a whole number from ${min}.\n`)
  process.exit(2)
}

const lane = (text: string) => {
  const found = LANES.find(one => one === text)
  if (found !== undefined) return found
  process.stderr.write(`--workflows is "${text}"; it takes ${LANES.join(' or ')}.\n`)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '15' },
    workflows: { type: 'string', default: 'every' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const options = {
  events: number('events', values.events, 1),
  kills: number('kills', values.kills, 1),
  seed: number('seed', values.seed, 0),
  lane: lane(values.workflows),
}

const printReport = ({ load, kills, ...account }: Report) => {
  const killed = Map.groupBy(kills, one => one.part)
  const show = (what: string[]) => {
    for (const one of what.slice(0, SHOWN)) say(`  ${one}`)
    if (what.length > SHOWN) say(`  and ${what.length - SHOWN} more`)
  }
  say('')
  say(`killed      ${[...killed].map(([part, all]) => `${part} ${all.length}`).join(', ')}`)
  say(`committed   ${load.expected.length} events of ${load.changes} changes with a 2xx response`)
  say(
    `uncertain   ${load.uncertain} changes, which may have happened: ${account.events - load.expected.length} events more`,
  )
  say(`delivered   ${account.delivered}`)
  say(`failed      ${account.failed}, each after three attempts`)
  say(`lost        ${account.lost.length}`)
  show(account.lost)
  say(`sent twice  ${account.sentTwice}, of which under way at a kill ${account.atKill}`)
  say(`wrong       ${account.wrong.length}`)
  show(account.wrong)
}

const dir = await mkdtemp(join(tmpdir(), 'arden-faults-'))
chmodSync(dir, 0o711) // PostgreSQL, which may run as another user, has to pass through.
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130))

const report = await runFaults(options, dir, say)
printReport(report)
process.exit(report.lost.length + report.wrong.length === 0 ? 0 : 1)
