import type { Article } from '../../../content/articles/schema'
import { Delete } from '../kit/dialogs/delete'

type Props = { of: Article; onClose: () => void; onDeleted: () => void }

export const DeleteArticle = ({ of: article, ...props }: Props) => (
  <Delete name={article.title} path={`/articles/${article.id}`} changes={['articles']} {...props}>
    <p>
      This deletes the article permanently and sends an article.deleted event, so that your website
      can remove it. This cannot be undone.
    </p>
  </Delete>
)
