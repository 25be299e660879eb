import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'

type ZipFile = { name: string; text: string; at: Date }

/** The method of ZIP that `deflateRaw` is (APPNOTE 4.4.5). */
const DEFLATE = 8

const compress = promisify(deflateRaw)

/**
 * A ZIP file that is made file by file: `add` and `end` return its next bytes, and nothing of earlier files is kept but
 * their entries in the directory. Without the bytes of `end`, the directory is missing and no program takes it for whole.
 */
export const createZip = () => {
  let chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    chunks.push(chunk)
  })
  const take = () => {
    const taken = chunks
    chunks = []
    return taken
  }
  return {
    add: async ({ name, text, at }: ZipFile): Promise<Uint8Array[]> => {
      const bytes = Buffer.from(text)
      // By zlib in a thread: fflate would do it on the event loop, and allocates 1 MB for each file.
      const compressed = await compress(bytes, { level: constants.Z_BEST_SPEED })
      const file: ZipInputFile = {
        filename: name,
        compression: DEFLATE,
        mtime: at,
        size: bytes.byteLength,
        crc: crc32(bytes),
        ondata: () => {},
      }
      zip.add(file)
      file.ondata?.(null, compressed, true)
      return take()
    },
    end: (): Uint8Array[] => {
      zip.end()
      return take()
    },
  }
}
