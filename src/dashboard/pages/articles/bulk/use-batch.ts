import { useState } from 'react'
import type { ArticleBatchResult } from '../../../../content/articles/batch'
import { ARTICLE_BATCH_MAX } from '../../../../content/articles/limits'
import type { TypeOf } from '../../../../http/schema'
import { useChange } from '../../api/queries'

export type BatchAction = 'publish' | 'unpublish' | 'delete'
export type BatchResult = TypeOf<typeof ArticleBatchResult>

/**
 * Changes any number of articles, some at a time. `run` returns the result when all of them were tried; after an error,
 * which `error` has, it goes on with those that were not.
 */
export const useBatch = (action: BatchAction, ids: readonly string[]) => {
  const change = useChange<BatchResult>('articles')
  const [tried, setTried] = useState<BatchResult>({ done: [], failed: [] })
  const run = async (): Promise<BatchResult | undefined> => {
    let { done, failed } = tried
    const isTried = (id: string) =>
      done.includes(id) || failed.some(({ article }) => article === id)
    try {
      for (;;) {
        const next = ids.filter(id => !isTried(id)).slice(0, ARTICLE_BATCH_MAX)
        if (next.length === 0) return { done, failed }
        const one = await change.mutateAsync({
          method: 'POST',
          path: '/v1/articles/batch',
          body: { action, ids: next },
        })
        done = [...done, ...one.done]
        failed = [...failed, ...one.failed]
      }
    } catch {
      setTried({ done, failed })
      return undefined
    }
  }
  return { run, isPending: change.isPending, error: change.error }
}
