import { useQueryClient } from '@tanstack/react-query'
import type { Article } from '../../../content/articles/schema'
import { recordOptions, useChange } from '../api/queries'
import type { Fields } from '../drafts/draft'
import { useMode } from '../mode'

/** Saves the article. Input is kept until that has succeeded. */
export const useSave = (id: string, onSaved: (sent: Fields, saved: Article) => void) => {
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
            // In case the next read fails: the editor would rebase on the old version.
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
