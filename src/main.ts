import { CommanderError } from '@commander-js/extra-typings'
import { printError } from './commands/print'
import { createProgram } from './commands/program'
import { EXIT, StartError } from './errors'
import { isLibraryNotLoaded } from './temporal/library'

// The reader of stdout has exited (`arden events tail | head -1`), which is not an error.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  printError(`arden: The output cannot be written: ${error.message}.`)
  process.exit(EXIT.failed)
})

/** Ends the process when its output is written: a pipe takes 64 KiB at a time. */
const exit = async (code: number): Promise<never> => {
  await new Promise<void>(written => process.stdout.end(() => written()))
  process.exit(code)
}

try {
  await createProgram().parseAsync()
} catch (error) {
  // Also thrown for help and version, with exit code 0. Commander has printed the message.
  if (error instanceof CommanderError) await exit(error.exitCode === 0 ? 0 : EXIT.usage)
  // An unexpected error is a bug, so its stack is printed too.
  const isExpected = error instanceof StartError || isLibraryNotLoaded(error)
  printError(`arden: ${isExpected ? error.message : Bun.inspect(error)}`)
  await exit(error instanceof StartError ? error.exitCode : EXIT.failed)
}
