import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config'
import { migrate } from '../../db/migrate'
import { StartError } from '../../errors'
import { createLog } from '../../log'
import { print, printError, printJson } from '../print'
import { withDatabase } from './database'

export const migrateCommand = () =>
  new Command('migrate')
    .description(
      'Migrate the database schema to this version and, when TEMPORAL_ADDRESS is set, register the search attributes in Temporal.',
    )
    .option(
      '--accept-newer',
      'leave a newer schema as it is, and succeed: for the way back to the version before',
    )
    .option('--json', 'print the result as one JSON object')
    .action(async ({ acceptNewer, json }) => {
      const applied = await withDatabase(sql =>
        migrate(sql, { say: printError, acceptNewer: acceptNewer === true }),
      )
      if (!json)
        print(
          applied.length === 0 ? 'There is nothing to apply.' : `Applied ${applied.join(', ')}.`,
        )
      const registered = await registerSearchAttributes()
      if (json) printJson({ applied, search_attributes: registered })
      else if (registered) print('The search attributes are registered in Temporal.')
    })

/**
 * Returns whether they can be used; null without Temporal. Workers register them when they start as well, so a
 * Temporal that cannot be reached now is no error.
 */
const registerSearchAttributes = async (): Promise<boolean | null> => {
  const config = readConfig({ ARDEN_LOG_FORMAT: 'pretty', ...process.env })
  const { temporalSettings } = await import('../../temporal/settings')
  const { address } = temporalSettings(config).connectionOptions
  if (address === undefined) return null
  const { connectTemporal } = await import('../../temporal/connection')
  const { ensureSearchAttributes } = await import('../../temporal/search-attributes')
  const log = createLog(config)
  try {
    const temporal = await connectTemporal(config, log)
    // An open connection keeps the command from ending.
    return await ensureSearchAttributes(temporal, log).finally(() => temporal.connection.close())
  } catch (error) {
    if (error instanceof StartError) throw error
    printError(
      `arden: Temporal at ${address} cannot be reached, or its store cannot; a worker registers the search attributes when it starts.`,
    )
    return false
  }
}
