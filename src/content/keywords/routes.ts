import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { checkIfMatch, withEtag } from '../../http/etag'
import { ifMatchHeader } from '../../http/openapi/headers'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { pageQueryOf, toListResponse, toPageRequest } from '../../http/request/paging'
import { DeletedRecord, EmptyBody, ListResponse, RecordResponse } from '../../http/schema'
import { isId } from '../../ids'
import { deleteKeyword } from './deletion'
import { keywordFilterQuery, toKeywordFilter } from './filter'
import { Keyword, KeywordChanges, NewKeyword } from './schema'
import { readCursor } from './sort'
import { createKeyword, getKeyword, listKeywords, updateKeyword } from './store'

const tags: [string] = ['Keywords']

export const keywordRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/projects/:id/keywords',
      ctx => change(ctx, 201, tx => createKeyword(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['keywords', 'deliveries'],
        body: NewKeyword,
        detail: operation({
          operationId: 'createKeyword',
          summary: 'Add a keyword to a project',
          description:
            'Unique within the project, whatever its case, for each country and device. Fires `keyword.created`.',
          tags,
          success: { status: 201, description: 'The keyword.', schema: RecordResponse(Keyword) },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .get(
      '/projects/:id/keywords',
      async ({ caller, params, query }) =>
        toListResponse(
          await read(caller, sql =>
            listKeywords(sql, caller, params.id, toKeywordFilter(query), toPageRequest(query)),
          ),
        ),
      {
        query: t.Object({
          ...pageQueryOf(text => isId('kw', text) || readCursor(text) !== undefined),
          ...keywordFilterQuery,
        }),
        detail: operation({
          operationId: 'listKeywords',
          summary: 'List the keywords of a project',
          tags,
          success: {
            status: 200,
            description: 'Newest first, or as `sort` says.',
            schema: ListResponse(Keyword),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .get(
      '/keywords/:id',
      async ({ caller, params, set }) =>
        withEtag(set, { data: await read(caller, sql => getKeyword(sql, caller, params.id)) }),
      {
        detail: operation({
          operationId: 'getKeyword',
          summary: 'Get a keyword',
          tags,
          hasEtag: true,
          success: { status: 200, description: 'The keyword.', schema: RecordResponse(Keyword) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/keywords/:id',
      async ctx =>
        withEtag(
          ctx.set,
          await change(ctx, 200, tx =>
            updateKeyword(tx, ctx.caller, ctx.params.id, ctx.body, checkIfMatch(ctx.request)),
          ),
        ),
      {
        changes: ['keywords'],
        body: KeywordChanges,
        detail: operation({
          operationId: 'updateKeyword',
          summary: 'Change a keyword',
          description:
            'Once it has rankings, only `tracked`, `tags` and the case of `keyword` can change, so that its history belongs to one search.',
          tags,
          hasEtag: true,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'The changed keyword.',
            schema: RecordResponse(Keyword),
          },
          errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
        }),
      },
    )
    .delete(
      '/keywords/:id',
      ctx =>
        change(ctx, 200, tx =>
          deleteKeyword(tx, ctx.caller, ctx.params.id, checkIfMatch(ctx.request)),
        ),
      {
        changes: ['keywords', 'rankings', 'articles', 'generations', 'deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'deleteKeyword',
          summary: 'Delete a keyword and its rankings',
          description:
            'Its articles remain without `keyword_id`, and `article.updated` is fired for each. Beyond 100 articles, the others follow in the background.',
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
