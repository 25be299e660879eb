import { Command } from '@commander-js/extra-typings'

export const devCommand = () =>
  new Command('dev')
    .description(
      'Run everything here: PostgreSQL, Temporal with its UI, the API and a worker. Data stays in ARDEN_DATA_DIR (.arden).',
    )
    .action(async () => {
      // Loaded when it is asked for: Temporal's client alone would slow every other command.
      const { dev } = await import('../../dev')
      await dev()
    })
