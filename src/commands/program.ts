import { styleText } from 'node:util'
import { Command, type CommandUnknownOpts, Help } from '@commander-js/extra-typings'
import { version } from '../version'
import { articlesCommand } from './api/articles'
import { deliveriesCommand } from './api/deliveries'
import { eventsCommand } from './api/events'
import { exportCommand } from './api/export'
import { generateCommand } from './api/generate'
import { generationsCommand } from './api/generations'
import { keywordsCommand } from './api/keywords'
import { listenCommand } from './api/listen'
import { projectsCommand } from './api/projects'
import { requestsCommand } from './api/requests'
import { triggerCommand } from './api/trigger'
import { webhooksCommand } from './api/webhooks'
import { addCompletion } from './completion'
import { helpCommand } from './help'
import { loginCommand } from './login/login'
import { logoutCommand } from './login/logout'
import { profilesCommand } from './login/profiles'
import { mcpCommand } from './mcp/command'
import { accountsCommand } from './operate/accounts'
import { capacityCommand } from './operate/capacity/command'
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
  arden trigger article.published                trigger one of them
  arden deliveries list --status failed          failed deliveries
  arden completion bash                          completion for a shell: bash, zsh, fish, powershell

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the database or the API cannot be reached, 4 refused.`

/** All commands, in the groups that --help shows. */
export const createProgram = () => {
  const program = new Command('arden')
    .description(
      'Content generation with signed webhooks, every delivery a durable Temporal workflow.',
    )
    .version(version)
    // Of a command, `--version 1` is no option: it would end a script that restores a version without doing it.
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  const group = (heading: string, ...commands: Parameters<typeof program.addCommand>[0][]) => {
    for (const command of commands) {
      program.addCommand(command.helpGroup(heading))
      if (command.commands.length > 0) command.helpCommand(false).addCommand(helpCommand(command))
    }
  }
  group('Run it:', devCommand(), serveCommand(), workerCommand(), migrateCommand())
  group(
    'Use it, with an API key:',
    loginCommand(),
    logoutCommand(),
    profilesCommand(),
    listenCommand(),
    triggerCommand(),
    eventsCommand(),
    deliveriesCommand(),
    webhooksCommand(),
    projectsCommand(),
    keywordsCommand(),
    articlesCommand(),
    generationsCommand(),
    generateCommand(),
    exportCommand(),
    requestsCommand(),
    mcpCommand(),
  )
  group('Manage it, with the database:', keysCommand(), accountsCommand(), usersCommand())
  group(
    'Operate it:',
    doctorCommand(),
    healthCommand(),
    pauseCommand(),
    resumeCommand(),
    secretsCommand(),
    capacityCommand(),
  )
  // `completion`, which a library adds, is in this group as well.
  program.commandsGroup('About it:').helpCommand(false)
  group('About it:', versionCommand(), helpCommand(program))
  program.addCommand(downloadTemporalCommand(), { hidden: true })
  addCompletion(program)
  configure(program)
  return program
}

/** Of a misspelled option that is required commander says only that it is missing. */
const withUnknown = (command: CommandUnknownOpts, text: string): string => {
  if (!text.startsWith('error: required option')) return text
  const isKnown = (arg: string) =>
    command.options.some(({ long, short }) => [long, short].includes(arg.split('=')[0]))
  const unknown = command.args.find(arg => /^--?[a-z]/i.test(arg) && !isKnown(arg))
  return unknown === undefined ? text : `${text}${unknown.split('=')[0]} is none of its options.\n`
}

/**
 * Adds to the error about an unknown option what commander does not: "Did you mean --overlap-seconds?" for `--overlap`,
 * and where `--profile` belongs in `arden --profile work articles list`. Commander suggests only options of the same
 * command that differ in a few letters.
 */
const withAdvice = (command: CommandUnknownOpts, text: string): string => {
  const flag = /^error: unknown option '(--[\w-]+)(?:=.*)?'\n$/.exec(text)?.[1]
  if (flag === undefined) return text
  const longer = command.options.find(({ long }) => long?.startsWith(flag))
  if (longer !== undefined) return `${text}(Did you mean ${longer.long}?)\n`
  const takesIt = ({ options, commands }: CommandUnknownOpts): boolean =>
    options.some(({ long }) => long === flag) || commands.some(takesIt)
  return command.commands.some(takesIt)
    ? `${text}It belongs behind the command that takes it.\n`
    : text
}

/** An error of commander begins like all others of the program, and calls an argument by its name in the usage. */
const withPrefix = (text: string): string =>
  text
    .replace(/^error: (command-argument value )?/, 'arden: ')
    .replace(/ is invalid for argument '([\w-]{1,30})'/, ' is no valid <$1>')

/** Commander shows required options as it does all others. */
const standardHelp = new Help()

/** Settings that commander does not pass on to commands added with `addCommand`. */
const configure = (command: CommandUnknownOpts) => {
  command
    // Makes commander throw, so that main.ts chooses the exit code.
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(withPrefix(withUnknown(command, withAdvice(command, text)))),
    })
    .showHelpAfterError('Run it with --help for its arguments and options.')
    .configureHelp({
      optionDescription: option =>
        `${standardHelp.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
      styleTitle: text => styleText('bold', text),
      styleCommandText: text => styleText('cyan', text),
      styleSubcommandText: text => styleText('cyan', text),
      styleOptionText: text => styleText('cyan', text),
    })
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  if (required.length > 0) command.usage([command.usage(), ...required].join(' '))
  for (const subcommand of command.commands) configure(subcommand)
}
