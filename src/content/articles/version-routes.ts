import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { checkIfMatch, withEtag } from '../../http/etag'
import { ifMatchHeader } from '../../http/openapi/headers'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { numberPageQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import { EmptyBody, ListResponse, RecordResponse } from '../../http/schema'
import { Article } from './schema'
import { restoreVersion } from './update'
import { ArticleVersion, ArticleVersionDetail } from './version-schema'
import { getVersion, listVersions } from './versions'

const tags: [string] = ['Articles']

export const articleVersionRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .get(
      '/articles/:id/versions',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql => listVersions(sql, caller, params.id, toPageRequest(query))),
        ),
      {
        query: t.Object(numberPageQuery()),
        detail: operation({
          operationId: 'listArticleVersions',
          summary: 'List the versions of an article',
          description: 'Without their texts. The first one is the current text.',
          tags,
          success: {
            status: 200,
            description: 'Newest first.',
            schema: ListResponse(ArticleVersion),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/articles/:id/versions/:version',
      async ({ caller, params }) => ({
        data: await read(caller, sql =>
          getVersion(sql, caller, params.id, toNumber(params.version)),
        ),
      }),
      {
        detail: operation({
          operationId: 'getArticleVersion',
          summary: 'Get a version of an article with its text',
          tags,
          success: {
            status: 200,
            description: 'The version.',
            schema: RecordResponse(ArticleVersionDetail),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/articles/:id/versions/:version/restore',
      async ctx =>
        withEtag(
          ctx.set,
          await change(ctx, 200, tx =>
            restoreVersion(
              tx,
              ctx.caller,
              ctx.params.id,
              toNumber(ctx.params.version),
              checkIfMatch(ctx.request),
            ),
          ),
        ),
      {
        changes: ['articles', 'deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'restoreArticleVersion',
          summary: 'Restore a version of an article',
          description:
            'Gives the article the title, body, meta title and meta description of the version, as a new version. Fires `article.updated` with the names of the changed fields; without a difference it fires nothing.',
          tags,
          hasEtag: true,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'The changed article.',
            schema: RecordResponse(Article),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )

/** 0, which no version has, for what is no number of a version. */
const toNumber = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0)
