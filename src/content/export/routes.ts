import { Elysia, t } from 'elysia'
import { fileOperation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { createdBetweenQuery, searchQuery } from '../../http/request/paging'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { withRule } from '../../http/rule'
import { Id, OneOf } from '../../http/schema'
import { Article } from '../articles/schema'
import { nextTurn } from '../turns'
import { createDownloads } from './download'
import { attachment, fileName } from './file-name'
import {
  EXPORT_ARTICLES_MAX,
  EXPORT_FORMATS,
  EXPORT_IDS_MAX,
  EXPORT_MIB_MAX,
  EXPORTS_OF_ACCOUNT_MAX,
  type ExportFormat,
} from './limits'
import { readExportedArticle, selectArticles } from './store'
import { CONTENT_TYPES, toText } from './text'

const tags: [string] = ['Articles']

const DEFAULT_FORMAT: ExportFormat = 'markdown'
const Format = OneOf(EXPORT_FORMATS, { description: `\`${DEFAULT_FORMAT}\` when absent.` })

/** Articles as files (contract 6.17). */
export const articleExportRoutes = ({ read, unread }: { read: Read; unread: UnreadLimit }) => {
  const download = createDownloads(read, unread)
  return new Elysia()
    .use(withCaller)
    .get(
      '/articles/:id/export',
      async ({ caller, params, query }) => {
        const { format = DEFAULT_FORMAT } = query
        const article = await read(caller, sql => readExportedArticle(sql, caller, params.id))
        await nextTurn()
        return new Response(toText(article, format), {
          headers: {
            'content-type': `${CONTENT_TYPES[format]}; charset=utf-8`,
            'content-disposition': attachment(fileName(article.slug, format)),
            'cache-control': 'no-store',
          },
        })
      },
      {
        query: t.Object({ format: t.Optional(Format) }),
        detail: fileOperation({
          operationId: 'exportArticle',
          summary: 'Download an article as Markdown or HTML',
          description:
            'Markdown has the other members of the article as YAML front matter. HTML is a document in which nothing runs: tags within the Markdown are text.',
          tags,
          examples: {
            [CONTENT_TYPES.markdown]: '---\ntitle: "Ten ways to brew coffee"\n---\n\n# Ten ways\n',
            [CONTENT_TYPES.html]: '<!doctype html>\n',
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/articles/export',
      async ({ caller, request, query }) => {
        const { format = DEFAULT_FORMAT, ids, ...filter } = query
        const selection = { filter, ids: ids === undefined ? undefined : idsOf(ids) }
        const articles = await read(caller, sql => selectArticles(sql, caller, selection))
        return download(request, caller, articles, format)
      },
      {
        query: t.Object({
          format: t.Optional(Format),
          ids: t.Optional(
            withRule(
              t.String({
                minLength: 1,
                maxLength: EXPORT_IDS_MAX * 32,
                description: `Only these articles: up to ${EXPORT_IDS_MAX} ids, separated by commas.`,
                examples: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'],
              }),
              ids =>
                idsOf(ids).length > EXPORT_IDS_MAX
                  ? `must have at most ${EXPORT_IDS_MAX} ids`
                  : undefined,
            ),
          ),
          ...createdBetweenQuery,
          ...searchQuery('`title` or `slug`'),
          status: t.Optional(Article.properties.status),
          project_id: t.Optional(Id('prj')),
          keyword_id: t.Optional(Id('kw')),
        }),
        detail: fileOperation({
          operationId: 'exportArticles',
          summary: 'Download articles as a ZIP',
          description: `A file for each article that matches, newest first. At most ${EXPORT_ARTICLES_MAX} articles and ${EXPORT_MIB_MAX} MiB of text; more is a 409. An account has ${EXPORTS_OF_ACCOUNT_MAX} ZIPs at a time in each process; one more is a 429. A download that fails breaks off: a ZIP that opens is complete.`,
          tags,
          examples: { 'application/zip': 'PK' },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
}

const idsOf = (text: string): string[] => [...new Set(text.split(',').map(id => id.trim()))]
