import { Command } from '@commander-js/extra-typings'
import { readConfig, settings } from '../../config'
import { unknownSettings, unreadAuthorities } from '../../doctor/machine'
import { closeLog, createLog } from '../../log'
import { waitForStopSignal } from '../../signals'
import type { Roles } from '../../start'

/** In --help, because an operator may have the binary only. */
const SETTINGS = [
  '\nSettings, as environment variables:',
  ...Object.entries(settings).map(([name, takes]) => `  ${name}\n      ${takes}`),
].join('\n')

export const serveCommand = () =>
  new Command('serve')
    .description(
      'Serve the HTTP API and the dashboard. Needs DATABASE_URL and ARDEN_ENCRYPTION_KEY, and no Temporal.',
    )
    .option(
      '--worker',
      'also run deliveries and generations, as `arden worker` does; needs TEMPORAL_ADDRESS too',
    )
    .addHelpText('after', SETTINGS)
    .action(({ worker = false }) => run({ serve: true, worker }))

export const workerCommand = () =>
  new Command('worker')
    .description(
      'Run deliveries and generations. Needs DATABASE_URL, ARDEN_ENCRYPTION_KEY, TEMPORAL_ADDRESS.',
    )
    .addHelpText('after', SETTINGS)
    .action(() => run({ worker: true }))

const run = async (roles: Roles) => {
  const config = readConfig(process.env)
  const log = createLog(config)
  for (const { found, todo } of [
    ...unknownSettings(process.env),
    ...unreadAuthorities(process.env),
  ])
    log.warn(`${found} ${todo}`)
  const { start } = await import('../../start')
  const running = await start(config, roles, log)
  log.info({ ...roles, url: running.url || undefined, metrics: running.metricsUrl }, 'started')
  // `ready` rejects for a worker that can never work. While a worker waits for Temporal, it is pending. A process that
  // ended because its encryption key is no longer the right one is started again with that of its settings now.
  const stop = async () => {
    log.info('stopping')
    await running.stop()
    log.info('stopped')
    await closeLog(log)
  }
  const never = () => new Promise(() => {})
  await Promise.race([
    waitForStopSignal(stop),
    running.ready.then(never),
    running.ended.then(never, async error => {
      await stop()
      throw error
    }),
  ])
}
