import type { Article } from '../../../content/records'
import { useChange } from '../api/queries'
import { Confirm } from '../kit/confirm'
import { toast } from '../kit/toast'

type Props = { of: Article; onClose: () => void; onDeleted: () => void }

export const DeleteArticle = ({ of: article, onClose, onDeleted }: Props) => {
  const remove = useChange('articles')
  return (
    <Confirm
      open
      title={`Delete ${article.title}?`}
      action="Delete for good"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1/articles/${article.id}` },
          {
            onSuccess: () => {
              onDeleted()
              toast({ title: `${article.title} is deleted` })
            },
          },
        )
      }
    >
      <p>
        Its text is gone, and webhooks are told so that the site can take it down. This cannot be
        undone.
      </p>
    </Confirm>
  )
}
