import type { Caller } from '../../caller'
import { TooManyRequests } from '../../errors'
import type { Read } from '../../http/read'
import { toBodyStream } from '../../http/response/body-stream'
import { createStreamCounter } from '../../http/response/stream-limit'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { nextTurn } from '../turns'
import { attachment, createFileNames } from './file-name'
import { EXPORTS_OF_ACCOUNT_MAX, type ExportFormat } from './limits'
import { type ExportedArticle, readExportedArticles, type SelectedArticle } from './store'
import { toText } from './text'
import { createZip } from './zip'

/** Bytes of bodies, and articles, that are read at a time. */
const READ_BYTES = 1024 ** 2
const READ_ARTICLES = 50
/** Bytes of a part of the response. */
const PART_BYTES = 256 * 1024
/** Seconds. */
const RETRY_AFTER_S = 5

type Download = (
  request: Request,
  caller: Caller,
  articles: readonly SelectedArticle[],
  format: ExportFormat,
) => Response

/**
 * Returns a function that sends articles as a ZIP (contract 6.17). The texts are read page by page as the client reads,
 * each page by a query of its own, so that a slow client keeps neither a connection nor a transaction.
 */
export const createDownloads = (read: Read, unread: UnreadLimit): Download => {
  const open = createStreamCounter()
  return (request, caller, articles, format) => {
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': attachment('articles.zip'),
      'cache-control': 'no-store',
    }
    // Nothing reads the body of a response to HEAD.
    if (request.method === 'HEAD') return new Response(null, { headers })
    const close = open([{ id: caller.accountId, max: EXPORTS_OF_ACCOUNT_MAX, full }])
    // A client that is gone before the first part is made ends no stream.
    request.signal.addEventListener('abort', close, { once: true })
    const readPage = (ids: string[]) => read(caller, sql => readExportedArticles(sql, caller, ids))
    return toBodyStream({
      next: createParts(readArticles(articles, readPage), format),
      headers,
      onSend: bytes => unread.add(caller, bytes),
      onEnd: close,
    })
  }
}

const full = () =>
  new TooManyRequests(
    `Your account downloads ${EXPORTS_OF_ACCOUNT_MAX} ZIPs of articles already. Wait until one has ended, then try again.`,
    RETRY_AFTER_S,
  )

/** Articles that were deleted meanwhile are left out. */
async function* readArticles(
  articles: readonly SelectedArticle[],
  readPage: (ids: string[]) => Promise<ExportedArticle[]>,
): AsyncGenerator<ExportedArticle> {
  for (let from = 0; from < articles.length; ) {
    const ids: string[] = []
    let bytes = 0
    for (const article of articles.slice(from, from + READ_ARTICLES)) {
      bytes += article.bytes
      if (ids.length > 0 && bytes > READ_BYTES) break
      ids.push(article.id)
    }
    from += ids.length
    yield* await readPage(ids)
  }
}

/** Returns a function that makes the next part of the ZIP; undefined after the last. */
const createParts = (articles: AsyncGenerator<ExportedArticle>, format: ExportFormat) => {
  const zip = createZip()
  const nameOf = createFileNames(format)
  let isDone = false
  return async (): Promise<Uint8Array | undefined> => {
    if (isDone) return undefined
    const chunks: Uint8Array[] = []
    for (let bytes = 0; bytes < PART_BYTES; ) {
      const { value: article } = await articles.next()
      if (article === undefined) {
        isDone = true
        chunks.push(...zip.end())
        break
      }
      await nextTurn()
      const text = toText(article, format)
      const file = { name: nameOf(article.slug), text, at: new Date(article.updated_at) }
      const added = await zip.add(file)
      chunks.push(...added)
      bytes += added.reduce((sum, { byteLength }) => sum + byteLength, 0)
    }
    return Buffer.concat(chunks)
  }
}
