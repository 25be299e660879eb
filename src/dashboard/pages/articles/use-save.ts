import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Article } from '../../../content/articles/schema'
import { ApiError, call } from '../api/client'
import { recordOptions } from '../api/queries'
import {
  conflictingFields,
  type Draft,
  type Fields,
  isPublishedMeanwhile,
  isSavedIn,
  rebaseDraft,
  unsavedFields,
} from '../drafts/draft'
import { toast } from '../kit/controls/toast'
import { useMode } from '../mode'
import { isText } from './history/difference'

/** When an article is published: what is saved beside its draft. */
export type Publication = Partial<Pick<Article, 'status' | 'scheduled_at'>>

/** `isPublicIntended`: the user knows that the article was published meanwhile. */
type Save = {
  draft: Draft
  changes: Publication
  isPublicIntended: boolean
  then: (article: Article) => void
}

/**
 * Saves the draft of an article. Input is kept until that has succeeded. A version that this page has not seen is
 * merged first, or shown where both changed the same field, or where it was published: a save overwrites nothing that the
 * user has not seen, and makes nothing public by surprise.
 */
export const useSave = (article: Article, onSaved: (sent: Fields, saved: Article) => void) => {
  const { id } = article
  const mode = useMode()
  const client = useQueryClient()
  const options = recordOptions<Article>(mode, 'articles', `/articles/${id}`)

  const save = async ({ draft, changes, isPublicIntended }: Omit<Save, 'then'>) => {
    const saved = client.getQueryData(options.queryKey)
    try {
      return await call<{ data: Article; etag?: string }>('PATCH', `/v1/articles/${id}`, {
        mode,
        body: { ...unsavedFields(draft), ...changes },
        ifMatch: saved?.etag,
        startsVersion: saved !== undefined && conflictingFields(draft, saved.data).some(isText),
      })
    } catch (error) {
      if (!isOutdated(error)) throw error
      const current = await client.fetchQuery({ ...options, staleTime: 0 })
      const isMadePublic =
        !isPublicIntended &&
        changes.status === undefined &&
        isPublishedMeanwhile(draft, current.data)
      if (isMadePublic || conflictingFields(draft, current.data).length > 0) throw error
      return save({ draft: rebaseDraft(draft, current.data), changes, isPublicIntended })
    }
  }
  const { mutate, variables, error, isPending, reset } = useMutation({
    mutationFn: (sent: Save) => save(sent),
  })
  const isMade = isWithoutResponse(error) && variables !== undefined && hasAll(article, variables)
  useEffect(() => {
    if (!isMade) return
    // Only its response was lost.
    reset()
    variables.then(article)
  }, [isMade, reset, variables, article])
  return {
    /** A conflict is shown by the editor. */
    error: isOutdated(error) ? null : error,
    isPending,
    /** Forgets the error. */
    reset,
    send: (sent: Save) =>
      mutate(sent, {
        onSuccess: saved => {
          // In case the next read fails: the editor would rebase on the old version.
          client.setQueryData(options.queryKey, saved)
          onSaved(sent.draft.fields, saved.data)
          sent.then(saved.data)
          void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'articles' })
        },
        onError: error => {
          // Reading it again shows that it was deleted.
          if (error instanceof ApiError && error.status === 404)
            void client.invalidateQueries({ queryKey: options.queryKey })
          if (isOutdated(error))
            toast({
              tone: 'bad',
              title: 'Article not saved',
              text: 'It changed while you were editing. Read the notice above the text, then save again.',
            })
        },
      }),
  }
}

const hasAll = (article: Article, { draft, changes }: Save): boolean =>
  isSavedIn(article, draft) &&
  (changes.status ?? article.status) === article.status &&
  (changes.scheduled_at === undefined || changes.scheduled_at === article.scheduled_at)

const isWithoutResponse = (error: unknown) => error instanceof ApiError && error.status === 0

const isOutdated = (error: unknown) => error instanceof ApiError && error.status === 412
