import { CommanderError } from '@commander-js/extra-typings'
import { createProgram } from './commands/program'
import { EXIT, StartError } from './errors'

try {
  await createProgram().parseAsync()
} catch (error) {
  // Help and version end so too, with 0; what is wrong with a command line has been said.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT.usage)
  // What a person can mend is one line; anything else is a fault of ours and keeps its stack.
  process.stderr.write(
    `arden: ${error instanceof StartError ? error.message : Bun.inspect(error)}\n`,
  )
  process.exit(error instanceof StartError ? error.exitCode : EXIT.failed)
}
