import { Command } from '@commander-js/extra-typings'

export const devCommand = () =>
  new Command('dev')
    .description(
      'Run everything on this machine: PostgreSQL, Temporal with its UI, the API and a worker. Data is kept in ARDEN_DATA_DIR (.arden).',
    )
    .action(async () => {
      // Imported only here: loading Temporal's client would slow down every other command.
      const { dev } = await import('../../dev')
      await dev()
    })
