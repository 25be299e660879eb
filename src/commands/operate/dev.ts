import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config'

/** Defaults of `dev`: readable logs, few of them, and reachable from this machine only. */
const DEFAULTS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  ARDEN_LOG_FORMAT: 'pretty',
  ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
}

export const devCommand = () =>
  new Command('dev')
    .description(
      'Run everything on this machine: PostgreSQL, Temporal with its UI, the API and a worker. Data is kept in ARDEN_DATA_DIR (.arden).',
    )
    .action(async () => {
      const config = readConfig({ ...DEFAULTS, ...process.env })
      // Imported only here: loading Temporal's client would slow down every other command, and a message about a
      // wrong setting.
      const { dev } = await import('../../dev')
      await dev(config)
    })
