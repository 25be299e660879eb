import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config'
import { migrate } from '../../db/migrate'
import { StartError } from '../../errors'
import { createLog } from '../../log'
import { print, printJson } from '../print'
import { withDatabase } from './database'

export const migrateCommand = () =>
  new Command('migrate')
    .description(
      'Bring the schema of the database up to this version, and register the search attributes in Temporal where TEMPORAL_ADDRESS is set.',
    )
    .option('--json', 'print what was done as one JSON object')
    .action(async ({ json }) => {
      const say = (line: string) => process.stderr.write(`${line}\n`)
      const applied = await withDatabase(sql => migrate(sql, { say }))
      if (!json)
        print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
      const registered = await registerSearchAttributes()
      if (json) printJson({ applied, search_attributes: registered })
      else if (registered) print('The search attributes are registered in Temporal.')
    })

/**
 * Whether they can be used; null where no Temporal is set. Workers register them too when they start, so a
 * Temporal that is away now is no failure.
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
    const usable = await ensureSearchAttributes(temporal, log)
    await temporal.connection.close()
    return usable
  } catch (error) {
    if (error instanceof StartError) throw error
    process.stderr.write(
      `arden: Temporal at ${address} cannot be reached; a worker registers the search attributes when it starts.\n`,
    )
    return false
  }
}
