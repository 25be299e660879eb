import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../config'
import { createLog } from '../log'
import { untilStopped } from '../signals'
import type { Roles } from '../start'

export const serveCommand = () =>
  new Command('serve')
    .description(
      'Serve the HTTP API. Needs DATABASE_URL and ARDEN_ENCRYPTION_KEY; Temporal is not asked.',
    )
    .action(() => run({ serve: true }))

export const workerCommand = () =>
  new Command('worker')
    .description(
      'Dispatch and send deliveries. Needs DATABASE_URL, ARDEN_ENCRYPTION_KEY, TEMPORAL_ADDRESS.',
    )
    .action(() => run({ worker: true }))

const run = async (roles: Roles) => {
  const config = readConfig(process.env)
  const log = createLog(config)
  const { start } = await import('../start')
  const running = await start(config, roles, log)
  log.info({ ...roles, url: running.url, metrics: running.metricsUrl }, 'started')
  // A worker that can never work ends the process; one that waits for Temporal does not.
  await Promise.race([untilStopped(running.stop), running.ready.then(() => new Promise(() => {}))])
}
