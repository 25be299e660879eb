import { Command } from '@commander-js/extra-typings'
import { readConfig, settings } from '../../config'
import { createLog } from '../../log'
import { waitForStopSignal } from '../../signals'
import type { Roles } from '../../start'

/** Whoever has nothing but the binary finds them here. */
const SETTINGS = [
  '\nSettings, as environment variables:',
  ...Object.entries(settings).map(([name, takes]) => `  ${name}\n      ${takes}`),
].join('\n')

export const serveCommand = () =>
  new Command('serve')
    .description(
      'Serve the HTTP API. Needs DATABASE_URL and ARDEN_ENCRYPTION_KEY; Temporal is not asked.',
    )
    .addHelpText('after', SETTINGS)
    .action(() => run({ serve: true }))

export const workerCommand = () =>
  new Command('worker')
    .description(
      'Dispatch and send deliveries. Needs DATABASE_URL, ARDEN_ENCRYPTION_KEY, TEMPORAL_ADDRESS.',
    )
    .addHelpText('after', SETTINGS)
    .action(() => run({ worker: true }))

const run = async (roles: Roles) => {
  const config = readConfig(process.env)
  const log = createLog(config)
  const { start } = await import('../../start')
  const running = await start(config, roles, log)
  log.info({ ...roles, url: running.url, metrics: running.metricsUrl }, 'started')
  // A worker that can never work ends the process; one that waits for Temporal does not.
  await Promise.race([
    waitForStopSignal(running.stop),
    running.ready.then(() => new Promise(() => {})),
  ])
}
