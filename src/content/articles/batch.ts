import { t } from 'elysia'
import type { Tx } from '../../db/connect'
import { DomainError } from '../../errors'
import { OneOf, Reference, RequestBody, type TypeOf } from '../../http/schema'
import { ARTICLE_BATCH_MAX } from './limits'
import { deleteArticle, type Editor, updateArticle } from './update'

/** Several articles published, unpublished or deleted by one request (contract 6.16). */

export const ArticleBatch = RequestBody(
  {
    action: OneOf(['publish', 'unpublish', 'delete'], { examples: ['publish'] }),
    ids: t.Array(Reference({ examples: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'] }), {
      minItems: 1,
      maxItems: ARTICLE_BATCH_MAX,
      description: 'The articles. An id that is there twice counts once.',
      examples: [['art_01kafz3v5tf4qrm8z3x9d2c7ne']],
    }),
  },
  { title: 'ArticleBatchInput' },
)

export const ArticleBatchResult = t.Object(
  {
    done: t.Array(t.String({ examples: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'] }), {
      description: 'The articles that are now as requested.',
    }),
    failed: t.Array(
      t.Object({
        article: t.String({ examples: ['art_01kafz3v5tf4qrm8z3x9d2c7nf'] }),
        code: t.String({ examples: ['NOT_FOUND'] }),
        message: t.String({ examples: ['There is no article art_01kafz3v5tf4qrm8z3x9d2c7nf.'] }),
      }),
      { description: 'The others, with the reason.' },
    ),
  },
  { title: 'ArticleBatchResult' },
)

/** Changes the articles in the transaction of `tx`, with the events of each. One that is unknown stops no other. */
export const changeArticles = async (
  tx: Tx,
  editor: Editor,
  { action, ids }: TypeOf<typeof ArticleBatch>,
): Promise<TypeOf<typeof ArticleBatchResult>> => {
  const done: string[] = []
  const failed: TypeOf<typeof ArticleBatchResult>['failed'] = []
  // All of them before the first event, and in one order: an event locks ordered webhooks, for which a change of one of
  // the articles would wait while this one waits for its row.
  await tx`
    SELECT FROM articles
    WHERE id = ANY (${ids}) AND account_id = ${editor.accountId} AND mode = ${editor.mode}
    ORDER BY id FOR UPDATE`
  for (const id of new Set(ids))
    try {
      if (action === 'delete') await deleteArticle(tx, editor, id, () => {})
      else
        await updateArticle(
          tx,
          editor,
          id,
          { status: action === 'publish' ? 'PUBLISHED' : 'DRAFT' },
          () => {},
        )
      done.push(id)
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'NOT_FOUND') throw error
      failed.push({ article: id, code: error.code, message: error.message })
    }
  return { done, failed }
}
