import type { Article } from '../../../content/articles/schema'
import { Delete } from '../kit/dialogs/delete'

type Props = { of: Article; onClose: () => void; onDeleted: () => void }

export const DeleteArticle = ({ of: article, ...props }: Props) => (
  <Delete name={article.title} path={`/articles/${article.id}`} changes={['articles']} {...props}>
    <p>
      Its text is deleted, and an event is sent so that the website can remove it. This cannot be
      undone.
    </p>
  </Delete>
)
