import type { Keyword } from '../../../content/keywords/schema'
import { Delete } from '../kit/dialogs/delete'

type Props = { of: Keyword; onClose: () => void; onDeleted: () => void }

export const DeleteKeyword = ({ of: keyword, ...props }: Props) => (
  <Delete
    name={keyword.keyword}
    path={`/keywords/${keyword.id}`}
    changes={['keywords', 'articles', 'generations']}
    {...props}
  >
    <p>
      This deletes its rankings and cancels its running generations. Its articles are kept, without
      a keyword.
    </p>
    <p>This cannot be undone.</p>
  </Delete>
)
