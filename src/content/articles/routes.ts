import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import type { Limit } from '../../db/limit-concurrency'
import { type BatchedBy, type Change, withChanges } from '../../http/change'
import { checkIfMatch, withEtag } from '../../http/etag'
import { ifMatchHeader } from '../../http/openapi/headers'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import {
  createdBetweenQuery,
  pageQuery,
  searchQuery,
  toListResponse,
  toPageRequest,
} from '../../http/request/paging'
import {
  DeletedRecord,
  EmptyBody,
  Id,
  ListResponse,
  RecordResponse,
  type TypeOf,
} from '../../http/schema'
import { ArticleBatch, ArticleBatchResult, changeArticles } from './batch'
import { createArticleOf } from './insert'
import { createInsertBatcher } from './insert-batcher'
import { createLanguages, withSlug } from './project-language'
import { Article, ArticleChanges, NewArticle } from './schema'
import { getArticle, listArticles } from './store'
import { deleteArticle, updateArticle } from './update'
import { articleVersionRoutes } from './version-routes'
import { NEW_VERSION_HEADER } from './versions'

const tags: [string] = ['Articles']

/** `ofProcess` is the limit of `limitTransactions`. */
type Deps = { sql: Sql; ofProcess: Limit; read: Read; change: Change }

const isAudited = ({ status, scheduled_at = null }: TypeOf<typeof NewArticle>) =>
  status === 'PUBLISHED' || scheduled_at !== null

export const articleRoutes = ({ sql, ofProcess, read, change }: Deps) => {
  const create = createInsertBatcher(sql, ofProcess)
  const languageOf = createLanguages(sql)
  return new Elysia()
    .use(articleVersionRoutes({ read, change }))
    .use(withCaller)
    .use(withChanges)
    .post(
      '/articles',
      ctx =>
        change(ctx, 201, tx => createArticleOf(tx, ctx.caller, ctx.body), {
          // A batch writes no audit entries.
          ...(!isAudited(ctx.body) && {
            batched: async (by: BatchedBy) =>
              create(ctx.caller, await withSlug(ctx.body, id => languageOf(ctx.caller, id)), by),
          }),
        }),
      {
        changes: ['articles', 'deliveries'],
        body: NewArticle,
        detail: operation({
          operationId: 'createArticle',
          summary: 'Create an article',
          description:
            'Fires `article.created`, and `article.published` when its status is PUBLISHED.',
          tags,
          success: { status: 201, description: 'The article.', schema: RecordResponse(Article) },
        }),
      },
    )
    .post(
      '/articles/batch',
      ctx => change(ctx, 200, tx => changeArticles(tx, ctx.caller, ctx.body)),
      {
        changes: ['articles', 'deliveries'],
        body: ArticleBatch,
        detail: operation({
          operationId: 'changeArticles',
          summary: 'Publish, unpublish or delete several articles',
          description:
            'In one transaction, with the events of each article. One that does not exist is named in `failed`, and stops no other.',
          tags,
          success: {
            status: 200,
            description: 'The result for each article.',
            schema: RecordResponse(ArticleBatchResult),
          },
        }),
      },
    )
    .get(
      '/articles',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listArticles(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({
          ...pageQuery('art'),
          ...createdBetweenQuery,
          ...searchQuery('`title` or `slug`'),
          status: t.Optional(Article.properties.status),
          project_id: t.Optional(Id('prj')),
          keyword_id: t.Optional(Id('kw')),
        }),
        detail: operation({
          operationId: 'listArticles',
          summary: 'List articles',
          tags,
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Article) },
        }),
      },
    )
    .get(
      '/articles/:id',
      async ({ caller, params, set }) =>
        withEtag(set, { data: await read(caller, sql => getArticle(sql, caller, params.id)) }),
      {
        detail: operation({
          operationId: 'getArticle',
          summary: 'Get an article',
          tags,
          hasEtag: true,
          success: { status: 200, description: 'The article.', schema: RecordResponse(Article) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/articles/:id',
      async ctx =>
        withEtag(
          ctx.set,
          await change(ctx, 200, tx =>
            updateArticle(tx, ctx.caller, ctx.params.id, ctx.body, checkIfMatch(ctx.request), {
              replacesOther: ctx.request.headers.get(NEW_VERSION_HEADER) === '1',
            }),
          ),
        ),
      {
        changes: ['articles', 'deliveries'],
        body: ArticleChanges,
        detail: operation({
          operationId: 'updateArticle',
          summary: 'Change an article',
          description:
            'Fires `article.updated` with the names of the changed fields, and `article.published` when it becomes PUBLISHED. With `scheduled_at` a draft is published at that time; a change of its status cancels that. A PATCH that changes nothing fires nothing.',
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
    .delete(
      '/articles/:id',
      ctx =>
        change(ctx, 200, tx =>
          deleteArticle(tx, ctx.caller, ctx.params.id, checkIfMatch(ctx.request)),
        ),
      {
        changes: ['articles', 'deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'deleteArticle',
          summary: 'Delete an article permanently',
          description: 'Fires `article.deleted`.',
          tags,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'It is deleted.',
            schema: RecordResponse(DeletedRecord),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )
}
