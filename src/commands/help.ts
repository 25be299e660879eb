import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'

/**
 * `arden help webhooks create`. Commander's own takes one name, and for one that does not exist it prints the help of
 * the program without a word about it.
 */
export const helpCommand = (program: CommandUnknownOpts) =>
  new Command('help')
    .description('Show the arguments and options of a command.')
    .argument('[command...]', 'its name, such as: webhooks create')
    .action(async names => {
      let command = program
      for (const [i, name] of names.entries()) {
        const next = command.commands.find(one => one.name() === name)
        // A command without commands of its own takes the rest as its arguments. Elsewhere the error of a name that
        // does not exist is commander's, with its suggestion; nothing is run.
        if (next === undefined && command.commands.length > 0) {
          await program.parseAsync(names.slice(0, i + 1), { from: 'user' })
          return
        }
        command = next ?? command
      }
      command.help()
    })
