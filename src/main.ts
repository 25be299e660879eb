import { Command } from '@commander-js/extra-typings'
import { accountsCommand } from './commands/accounts'
import { deliveriesCommand } from './commands/deliveries'
import { devCommand } from './commands/dev'
import { doctorCommand } from './commands/doctor'
import { downloadTemporalCommand } from './commands/download-temporal'
import { eventsCommand } from './commands/events'
import { healthCommand } from './commands/health'
import { keysCommand } from './commands/keys'
import { listenCommand } from './commands/listen'
import { migrateCommand } from './commands/migrate'
import { pauseCommand, resumeCommand } from './commands/pause'
import { serveCommand, workerCommand } from './commands/roles'
import { secretsCommand } from './commands/secrets'
import { triggerCommand } from './commands/trigger'
import { usersCommand } from './commands/users'
import { versionCommand } from './commands/version'
import { EXIT, StartError } from './errors'
import { version } from './version'

const program = new Command('arden')
  .description(
    'Content generation with signed webhooks, every delivery a durable Temporal workflow.',
  )
  .version(version)
  .showHelpAfterError('Run with --help for what it takes.')
  .addCommand(devCommand())
  .addCommand(serveCommand())
  .addCommand(workerCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .addCommand(healthCommand())
  .addCommand(listenCommand())
  .addCommand(triggerCommand())
  .addCommand(eventsCommand())
  .addCommand(deliveriesCommand())
  .addCommand(keysCommand())
  .addCommand(accountsCommand())
  .addCommand(usersCommand())
  .addCommand(pauseCommand())
  .addCommand(resumeCommand())
  .addCommand(secretsCommand())
  .addCommand(versionCommand())
  .addCommand(downloadTemporalCommand(), { hidden: true })

try {
  await program.parseAsync()
} catch (error) {
  // What a person can mend is one line; anything else is a fault of ours and keeps its stack.
  process.stderr.write(
    `arden: ${error instanceof StartError ? error.message : Bun.inspect(error)}\n`,
  )
  process.exit(error instanceof StartError ? error.exitCode : EXIT.failed)
}
