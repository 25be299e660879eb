import type { Keyword } from '../../../content/keyword-records'
import { useChange } from '../api/queries'
import { Confirm } from '../kit/confirm'
import { toast } from '../kit/toast'

type Props = { of: Keyword; onClose: () => void; onDeleted: () => void }

export const DeleteKeyword = ({ of: keyword, onClose, onDeleted }: Props) => {
  const remove = useChange('keywords', 'articles', 'generations')
  return (
    <Confirm
      open
      title={`Delete ${keyword.keyword}?`}
      action="Delete for good"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1/keywords/${keyword.id}` },
          {
            onSuccess: () => {
              onDeleted()
              toast({ title: `${keyword.keyword} is deleted` })
            },
          },
        )
      }
    >
      <p>
        Its rankings are deleted with it, and its generations that run are cancelled. Its articles
        stay, without a keyword.
      </p>
      <p>This cannot be undone.</p>
    </Confirm>
  )
}
