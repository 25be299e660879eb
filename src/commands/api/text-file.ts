import { EXIT, StartError } from '../../errors'

/**
 * The bytes of a file, or of stdin for `-`.
 * @throws {StartError} for one that cannot be read.
 */
export const readBytes = (file: string): Promise<Uint8Array> =>
  (file === '-' ? Bun.stdin : Bun.file(file)).bytes().catch(cause => {
    throw new StartError(
      `${nameOfFile(file)} cannot be read: ${cause instanceof Error ? cause.message : cause}.${file === '-' ? '' : ' Check its name.'}`,
      { cause, exitCode: EXIT.usage },
    )
  })

/**
 * The text of a file in UTF-8, or in UTF-16 as PowerShell writes it, without its byte order mark.
 * @throws {StartError} for one that cannot be read, and for another encoding, whose letters would be lost.
 */
export const readTextFile = async (file: string): Promise<string> => {
  const bytes = await readBytes(file)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new StartError(
      `${nameOfFile(file)} is not UTF-8. Save it as UTF-8, so that no letter is lost.`,
      { cause, exitCode: EXIT.usage },
    )
  }
}

export const nameOfFile = (file: string): string => (file === '-' ? 'The text of stdin' : file)
