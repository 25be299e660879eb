import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { findTemporal } from '../../src/local/temporal/find'
import { say } from '../support/operations/script'
import { noTemporalServer, temporalPrograms } from '../support/operations/temporal-server'
import { run } from '../support/tools/run'
import { noMachine, startMachine } from './machine'

/**
 * `bun run systemd`: docs/operations.md, "By hand" and "With systemd", on a Debian of its own with systemd as its first
 * process. Exit code 1 when something is not as the document says.
 */

const missing = noMachine() ?? noTemporalServer
if (missing !== undefined) {
  say(`systemd is skipped: ${missing}.`)
  process.exit(0)
}

const dir = await mkdtemp(join(tmpdir(), 'arden-systemd-'))
const temporal = join(dir, 'temporal')
await mkdir(temporal)
await run(['cp', await findTemporal(() => {}), temporal])
for (const version of ['old', 'new'])
  await run(['bun', 'build/main.ts'], { cwd: ROOT, env: { ARDEN_COMMIT: version } }).then(() =>
    run(['cp', 'dist/arden', join(dir, `arden-${version}`)], { cwd: ROOT }),
  )
const began = performance.now()
const machine = await startMachine(dir, {
  '/opt/temporal': await temporalPrograms(),
  '/opt/temporal-cli': temporal,
  '/opt/built': dir,
})
say(`systemd runs after ${((performance.now() - began) / 1000).toFixed(1)} s`)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void machine.stop().then(() => process.exit(130)))
try {
  // Within the network of the machine, so that it reaches the receiver and the other way round.
  const steps = Bun.spawn(
    [
      'nsenter',
      `--target=${machine.pid}`,
      '--net',
      'bun',
      join(import.meta.dir, 'steps.ts'),
      String(machine.pid),
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  )
  process.exitCode = await steps.exited
} finally {
  await machine.stop()
  await rm(dir, { recursive: true, force: true })
}
