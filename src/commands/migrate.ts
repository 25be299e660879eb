import { Command } from '@commander-js/extra-typings'
import { migrate } from '../db/migrate'
import { withDatabase } from './connection'

export const migrateCommand = () =>
  new Command('migrate')
    .description('Bring the schema of the database up to this version.')
    .action(() =>
      withDatabase(async sql => {
        const applied = await migrate(sql)
        process.stdout.write(
          applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
        )
      }),
    )
