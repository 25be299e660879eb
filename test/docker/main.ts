import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { client } from '../support/client'
import { say } from '../support/operations/script'
import { startReceiver } from '../support/receiver'
import type { Check } from './check'
import { digests, documentedCommands, installation } from './documented'
import { machineAddress, missingEngine, missingImage } from './engine'
import { type Operator, ready, startOperator } from './operator'
import { buildStandIns } from './stand-ins/build'
import { dataKept } from './steps/data-kept'
import { figures, memory } from './steps/figures'
import { firstWebhook } from './steps/first-webhook'
import { observability } from './steps/observability'
import { scale } from './steps/scale'
import { temporalUi } from './steps/temporal-ui'
import { tls } from './steps/tls'
import { upgradeAndBack } from './steps/upgrade'

/** `bun run docker`: the production path of README and docs/operations.md, on a Docker engine. */

const HELP = `Usage: bun run docker [options]

Installs Arden in containers by the commands of README.md and docs/operations.md, receives a webhook, scales, upgrades
and goes back under load, stops and starts again, scrapes, alerts, and signs in through the TLS proxy. It runs as the
Compose project arden-check, and removes it at the end. The ports of docker-compose.yml must be free.

Exit codes: 0 when every step succeeded, 1 when one failed, 3 when there is no engine or no image, so nothing was
checked.

Options:
  --stand-ins  build images under the official tags from Debian, npm and Go modules, where no registry is reachable.
               Needs root, debootstrap and Go. They REPLACE official images of these tags.
  --help       print this
`
const NOT_CHECKED = 3
const API = 'http://127.0.0.1:3000'

const { values } = parseArgs({
  options: { 'stand-ins': { type: 'boolean', default: false }, help: { type: 'boolean' } },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}

const detail = (line: string) => say(`            ${line}`)

const step = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
  const began = performance.now()
  try {
    const result = await run()
    say(`ok  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`)
    return result
  } catch (error) {
    say(`FAILED       ${what}`)
    throw error
  }
}

let failed = false
/** A step that no later one needs. */
const independently = (what: string, run: () => Promise<void>) =>
  step(what, run).catch(error => {
    failed = true
    say(String(error))
  })

const notChecked = (why: string): never => {
  say(`Not checked: ${why}. Nothing was run in containers.`)
  process.exit(NOT_CHECKED)
}

/** The commands of the documents, from nothing to a key. Returns the key. */
const install = async (operator: Operator): Promise<string> => {
  const { run, dir } = operator
  let key = ''
  for (const command of await installation())
    await step(command, async () => {
      // The receivers of this check are on this machine.
      if (command.startsWith('docker compose up'))
        await appendFile(join(dir, '.env'), 'ARDEN_ALLOW_PRIVATE_WEBHOOKS=1\n')
      const output = await run(command)
      key ||= /ar_live_\w+/.exec(output)?.[0] ?? ''
    })
  return key
}

const runAll = async (operator: Operator) => {
  const machine = await machineAddress()
  if (!values['stand-ins'])
    for (const command of await digests()) await step(command, () => operator.run(command))
  await step('the image is built', () =>
    operator.run(
      'docker build --build-arg ARDEN_COMMIT=$(git describe --always --dirty) -t arden:0.1.0 .',
    ),
  )
  const began = performance.now()
  const key = await install(operator)
  await ready(operator)
  const readyS = (performance.now() - began) / 1000
  const receiver = startReceiver(undefined, machine)
  try {
    const check: Check = {
      operator,
      machine,
      url: API,
      key,
      api: client(API, key),
      receiver,
      say: detail,
    }
    const idle = await memory(operator)
    const delivery = await step('a webhook is received, signed', () => firstWebhook(check))
    await independently('the Temporal UI has its workflow', () => temporalUi(check, delivery))
    await independently('four workers', () => scale(check))
    await independently('an upgrade and a rollback under load', () => upgradeAndBack(check))
    const busy = await memory(operator)
    await independently('down, and up again with the data', () => dataKept(check))
    await independently('metrics, alerts, and a page to the operators', () => observability(check))
    await independently('sign-in through the TLS proxy', () => tls(check))
    await figures(operator, { idle, busy, readyS }, say)
  } finally {
    receiver.stop()
  }
}

const missing = await missingEngine()
if (missing !== undefined) notChecked(missing)
if (values['stand-ins'])
  await step('stand-ins for the official images', () => buildStandIns(detail))
else {
  const image = await missingImage()
  if (image !== undefined)
    notChecked(`${image} cannot be pulled; --stand-ins builds images in place of the official ones`)
}

const operator = await startOperator()
try {
  await runAll(operator)
} catch (error) {
  failed = true
  say(String(error))
  say(await operator.run('docker compose ps --all; docker compose logs --tail 20').catch(String))
} finally {
  await operator.remove()
}
const reason = failed
  ? 'A step before it failed.'
  : 'It asks a registry, and stand-ins are in none.'
for (const command of await documentedCommands())
  if (!operator.typed.includes(command)) say(`Not run: ${command}\n${reason}`)
process.exit(failed ? 1 : 0)
