import { useQueryClient } from '@tanstack/react-query'
import type { Article } from '../../../content/articles/schema'
import { recordOptions, useChange } from '../api/queries'
import type { Fields } from '../drafts/draft'
import { useMode } from '../mode'

/** Saves what was written. Until it is, and when it is not, nothing that was typed is touched. */
export const useSave = (id: string, onSaved: (sent: Fields, answer: Article) => void) => {
  const mode = useMode()
  const client = useQueryClient()
  const { mutate, error, isPending } = useChange<Article>('articles')
  return {
    error,
    isPending,
    send: (
      body: Partial<Fields & Pick<Article, 'status'>>,
      fields: Fields,
      then: (article: Article) => void,
    ) =>
      mutate(
        { method: 'PATCH', path: `/v1/articles/${id}`, body },
        {
          onSuccess: article => {
            // Where asking again failed, the page would else follow what was there before.
            client.setQueryData(
              recordOptions<Article>(mode, 'articles', `/articles/${id}`).queryKey,
              {
                data: article,
              },
            )
            onSaved(fields, article)
            then(article)
          },
        },
      ),
  }
}
