import { CommanderError } from '@commander-js/extra-typings'
import { createProgram } from './commands/program'
import { EXIT, StartError } from './errors'

// Who reads what is printed has gone (`arden events tail | head -1`): nothing is left to do, and nothing failed.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  throw error
})

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
