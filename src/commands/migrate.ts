import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../config'
import { migrate } from '../db/migrate'
import { StartError } from '../errors'
import { createLog } from '../log'
import { withDatabase } from './connection'

export const migrateCommand = () =>
  new Command('migrate')
    .description(
      'Bring the schema of the database up to this version, and register the search attributes in Temporal where TEMPORAL_ADDRESS is set.',
    )
    .action(async () => {
      const say = (line: string) => process.stderr.write(`${line}\n`)
      const applied = await withDatabase(sql => migrate(sql, { say }))
      process.stdout.write(
        applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
      )
      await registerSearchAttributes()
    })

/** Workers do it too when they start, so a Temporal that is away now is no failure. */
const registerSearchAttributes = async () => {
  const config = readConfig({ ARDEN_LOG_FORMAT: 'pretty', ...process.env })
  const { temporalSettings } = await import('../temporal/settings')
  const { address } = temporalSettings(config).connectionOptions
  if (address === undefined) return
  const { connectTemporal } = await import('../temporal/connect')
  const { ensureSearchAttributes } = await import('../temporal/search-attributes')
  const log = createLog(config)
  try {
    const temporal = await connectTemporal(config, log)
    const usable = await ensureSearchAttributes(temporal, log)
    await temporal.connection.close()
    if (usable) process.stdout.write('The search attributes are registered in Temporal.\n')
  } catch (error) {
    if (error instanceof StartError) throw error
    process.stderr.write(
      `arden: Temporal at ${address} cannot be reached; a worker registers the search attributes when it starts.\n`,
    )
  }
}
