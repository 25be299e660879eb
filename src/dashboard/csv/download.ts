import type { Caller } from '../../caller'
import { toBodyStream } from '../../http/response/body-stream'
import { csvLine } from '../../http/response/csv-line'
import type { UnreadLimit } from '../../http/response/unread-limit'

export type Cells = readonly (string | number | null)[]

type File = {
  name: string
  head: Cells
  /** The lines of the next records; undefined at the end. Called again when the client has read the ones before. */
  nextLines: () => Promise<Cells[] | undefined>
}

/**
 * A CSV file as a download. Errors of the first records are reported before the response begins; a later one resets the
 * connection, so that the download fails instead of being incomplete (contract 3.11).
 */
export const toDownload = async (
  caller: Caller,
  unread: UnreadLimit,
  { name, head, nextLines }: File,
): Promise<Response> => {
  const next = async () => (await nextLines())?.map(csvLine).join('')
  // Without a byte order mark, Excel does not read the file as UTF-8.
  let first: string | undefined = `\uFEFF${csvLine(head)}${(await next()) ?? ''}`
  return toBodyStream({
    next: async () => {
      const text = first ?? (await next())
      first = undefined
      return text
    },
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
    },
    onSend: bytes => unread.add(caller, bytes),
  })
}
