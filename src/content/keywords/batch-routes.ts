import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import { withCaller } from '../../http/request/caller'
import { RecordResponse } from '../../http/schema'
import { GenerationDetail } from '../generations/schema'
import { createKeywordBatch, generateForKeywords, importKeywords } from './batch'
import {
  BulkGeneration,
  KeywordBatch,
  KeywordBatchResult,
  KeywordImport,
  KeywordImportResult,
} from './batch-schema'

/** Routes for many keywords at a time (contract 6.21, 6.22, 6.24). */
export const keywordBatchRoutes = ({ change }: { change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/projects/:id/keywords/batch',
      ctx => change(ctx, 201, tx => createKeywordBatch(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['keywords', 'deliveries'],
        body: KeywordBatch,
        detail: operation({
          operationId: 'createKeywordBatch',
          summary: 'Add up to 500 keywords to a project',
          description:
            'In one transaction: an invalid keyword is a 422 that names it, and nothing is created. A keyword that the project has is no error. Fires `keyword.created` for each that was created.',
          tags: ['Keywords'],
          success: {
            status: 201,
            description: 'What became of each keyword.',
            schema: RecordResponse(KeywordBatchResult),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/projects/:id/keywords/import',
      ctx => change(ctx, 200, tx => importKeywords(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['keywords', 'deliveries'],
        body: KeywordImport,
        detail: operation({
          operationId: 'importKeywords',
          summary: 'Import keywords from a CSV file',
          description:
            'In one transaction: with an error in any line nothing is imported, and the 422 names each line. With `preview` the response has the errors.',
          tags: ['Keywords'],
          success: {
            status: 200,
            description: 'What was imported, or would be.',
            schema: RecordResponse(KeywordImportResult),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/projects/:id/generations',
      ctx => change(ctx, 202, tx => generateForKeywords(tx, ctx.caller, ctx.params.id, ctx.body)),
      {
        changes: ['generations'],
        body: BulkGeneration,
        detail: operation({
          operationId: 'createGenerations',
          summary: 'Generate an article for each of up to 100 keywords',
          description:
            'As `POST /generations` for each, in one transaction: where the plan does not suffice for all, none is queued.',
          tags: ['Generations'],
          success: {
            status: 202,
            description: 'The generations, in the order of the keywords.',
            schema: t.Object({ data: t.Array(GenerationDetail) }),
          },
          errors: ['NOT_FOUND', 'PLAN_LIMIT_REACHED'],
        }),
      },
    )
