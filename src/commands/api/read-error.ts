import { EXIT, StartError } from '../../errors'

/** For `catch` of a read: the error of a command whose option or argument, `file`, names no file that can be read. */
export const cannotRead =
  (file: string) =>
  (cause: unknown): never => {
    throw new StartError(
      `${file} cannot be read: ${cause instanceof Error ? cause.message : cause}. Check its name.`,
      { cause, exitCode: EXIT.usage },
    )
  }
