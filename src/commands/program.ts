import { styleText } from 'node:util'
import tab from '@bomb.sh/tab/commander'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { version } from '../version'
import { deliveriesCommand } from './api/deliveries'
import { eventsCommand } from './api/events'
import { listenCommand } from './api/listen'
import { triggerCommand } from './api/trigger'
import { accountsCommand } from './operate/accounts'
import { devCommand } from './operate/dev'
import { doctorCommand } from './operate/doctor'
import { downloadTemporalCommand } from './operate/download-temporal'
import { healthCommand } from './operate/health'
import { keysCommand } from './operate/keys'
import { migrateCommand } from './operate/migrate'
import { pauseCommand, resumeCommand } from './operate/pause'
import { serveCommand, workerCommand } from './operate/roles'
import { secretsCommand } from './operate/secrets'
import { usersCommand } from './operate/users'
import { versionCommand } from './operate/version'

const EXAMPLES = `
Examples:
  arden dev                                      everything on this machine, to try it
  arden listen --forward-to http://localhost:4000/hook
                                                 events of your account, sent to your program
  arden trigger article.published                make one happen
  arden deliveries list --status FAILED          what did not arrive
  arden completion bash                          completion for a shell: bash, zsh, fish

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the database or the API does not answer, 4 refused.`

/** All commands, in groups as a person looks for them. */
export const createProgram = () => {
  const program = new Command('arden')
    .description(
      'Content generation with signed webhooks, every delivery a durable Temporal workflow.',
    )
    .version(version)
    .addHelpText('after', EXAMPLES)
  const group = (heading: string, ...commands: Parameters<typeof program.addCommand>[0][]) => {
    for (const command of commands) program.addCommand(command.helpGroup(heading))
  }
  group('Run it:', devCommand(), serveCommand(), workerCommand(), migrateCommand())
  group(
    'Use it, with an API key:',
    listenCommand(),
    triggerCommand(),
    eventsCommand(),
    deliveriesCommand(),
  )
  group('Manage it, with the database:', keysCommand(), accountsCommand(), usersCommand())
  group(
    'Operate it:',
    doctorCommand(),
    healthCommand(),
    pauseCommand(),
    resumeCommand(),
    secretsCommand(),
  )
  // Those that commander and the completion make are of this group as well.
  program.commandsGroup('About it:').helpCommand('help [command]', 'Show what a command takes.')
  group('About it:', versionCommand())
  program.addCommand(downloadTemporalCommand(), { hidden: true })
  // Adds `completion <shell>`, and the hidden command that its scripts ask. The same object: its types say
  // more than commander's own, and are not taken for them.
  tab(program as unknown as PlainCommand, { completionCommandName: 'completion' })
  dress(program)
  return program
}

/** What commander does not hand down to commands that were made apart. */
const dress = (command: CommandUnknownOpts) => {
  command
    // Thrown, so that main.ts chooses the exit code.
    .exitOverride()
    .showHelpAfterError('Run with --help for what it takes.')
    .configureHelp({
      styleTitle: text => styleText('bold', text),
      styleCommandText: text => styleText('cyan', text),
      styleSubcommandText: text => styleText('cyan', text),
      styleOptionText: text => styleText('cyan', text),
    })
  for (const one of command.commands) dress(one)
}
