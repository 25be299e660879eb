import tab from '@bomb.sh/tab/commander'
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'

/** Values that are files or folders of this machine. */
const IS_FILE = /<(file|path)>/

/** Adds `completion <shell>`, and the hidden command `complete` that its scripts call. */
export const addCompletion = (program: CommandUnknownOpts): void => {
  // It is typed for commander's own `Command`, which is the same object.
  const { commands } = tab(program as unknown as PlainCommand, {
    completionCommandName: 'completion',
  })
  const addFiles = (command: CommandUnknownOpts, path: string) => {
    const completed = commands.get(path)
    for (const { flags, long } of command.options) {
      const option = completed?.options.get(long?.slice(2) ?? '')
      if (option !== undefined && IS_FILE.test(flags)) option.handler = completeFiles
    }
    for (const argument of command.registeredArguments) {
      const completedArgument = completed?.arguments.get(argument.name())
      if (completedArgument !== undefined && IS_FILE.test(`<${argument.name()}>`))
        completedArgument.handler = completeFiles
    }
    for (const one of command.commands) addFiles(one, `${path} ${one.name()}`.trim())
  }
  addFiles(program, '')
}

/** Ends `complete` with the result by which a shell offers files, as without a completion. The library has none. */
const completeFiles = (): never => {
  process.stdout.write(':0\n')
  throw new CommanderError(0, 'arden.complete', '')
}
