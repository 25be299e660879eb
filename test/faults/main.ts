import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LANES } from '../support/lanes'
import {
  chooseNamed,
  describeNamed,
  readWholeNumber,
  refuse,
  say,
  temporaryRoot,
} from '../support/operations/script'
import { FAULTS } from './faults/all'
import { printReport } from './report'
import { runFault } from './run'

/**
 * `bun run faults`: changes through the API while parts are killed, frozen, cut off or full; at the end every promise
 * of the contract is checked. Exit code 1 when one is broken.
 */

const HELP = `Usage: bun run faults [options] [faults]

Changes articles through the API while a fault disturbs Arden's parts, and checks every promise of the contract
against what receivers and readers of the API saw. Without a name, all faults run one after the other, each on servers
of its own. The exit code is 1 when a promise is broken.

Faults:
${describeNamed(FAULTS)}

Options:
  --events <n>             events of each fault (400; of kills 2000)
  --seconds <n>            how long what is held is held (30)
  --kills <n>              parts that are killed (15)
  --workflows <mode>       every or on-retry (every)
  --seed <n>               the random values
  --help                   print this
`

/** Duration of the load for each kill, in seconds: the part restarts and some deliveries are sent. */
const SECONDS_PER_KILL = 5
/** The load is as long before and after what is held as while it is held. */
const LOAD_PER_HOLD = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    kills: { type: 'string', default: '15' },
    workflows: { type: 'string', default: 'every' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}

const lane =
  LANES.find(one => one === values.workflows) ??
  refuse(`--workflows is "${values.workflows}"; it takes ${LANES.join(' or ')}.`)
const kills = readWholeNumber('kills', values.kills, 1)
const seconds = readWholeNumber('seconds', values.seconds, 1)
const seed = readWholeNumber('seed', values.seed, 0)
const events = values.events === undefined ? undefined : readWholeNumber('events', values.events, 1)
const faults = chooseNamed('fault', FAULTS, positionals)
const root = temporaryRoot('arden-faults-')

let broken = 0
for (const fault of faults) {
  const missing = fault.missing?.()
  if (missing !== undefined) {
    say(`${fault.name} is skipped: ${missing}.`)
    continue
  }
  const isKills = fault.name === 'kills'
  const dir = join(root, fault.name)
  mkdirSync(dir, { mode: 0o711 })
  const report = await runFault(
    {
      fault,
      events: events ?? (isKills ? 2_000 : 400),
      loadS: isKills ? kills * SECONDS_PER_KILL : seconds * LOAD_PER_HOLD,
      holdMs: seconds * 1000,
      kills,
      seed,
      lane,
    },
    dir,
    say,
  )
  broken += printReport(fault.name, report, say)
  rmSync(dir, { recursive: true, force: true })
}
process.exit(broken === 0 ? 0 : 1)
