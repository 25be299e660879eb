import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, call } from '../../api/client'
import { useEtag } from '../../api/queries'
import { toast, toastError } from '../../kit/controls/toast'
import { useMode } from '../../mode'

/** Restores a version of an article, unless the article has changed since this page has read it. */
export const useRestore = (articleId: string, onRestored: () => void) => {
  const mode = useMode()
  const client = useQueryClient()
  const etag = useEtag('articles', `/articles/${articleId}`)
  const readAgain = () =>
    void client.invalidateQueries({ predicate: ({ queryKey: [, topic] }) => topic === 'articles' })
  return useMutation({
    mutationFn: (version: number) =>
      call('POST', `/v1/articles/${articleId}/versions/${version}/restore`, {
        mode,
        body: {},
        ifMatch: etag(),
      }),
    onSuccess: (_, version) => {
      toast({ title: `Version ${version} restored` })
      onRestored()
      readAgain()
    },
    onError: error => {
      if (error instanceof ApiError && error.status === 412)
        toast({
          tone: 'bad',
          title: 'Version not restored',
          text: 'The article has changed since this page was opened. Compare the versions again.',
        })
      else toastError('Version not restored', error)
      readAgain()
    },
  })
}
