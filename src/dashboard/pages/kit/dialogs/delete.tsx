import type { ReactNode } from 'react'
import { useChange } from '../../api/queries'
import type { QueryTopic } from '../../api/topics'
import { toast } from '../controls/toast'
import { Confirm } from './confirm'

type Props = {
  /** Its title or name. */
  name: string
  /** Its path in the public API, without `/v1`. */
  path: string
  /** The topics that change with it. */
  changes: QueryTopic[]
  /** Names what is deleted with the record, and says that this cannot be undone. */
  children: ReactNode
  onClose: () => void
  onDeleted: () => void
}

/** Asks for confirmation, then deletes a record. */
export const Delete = ({ name, path, changes, children, onClose, onDeleted }: Props) => {
  const remove = useChange(...changes)
  return (
    <Confirm
      open
      title={`Delete ${name}?`}
      action="Delete permanently"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1${path}` },
          {
            onSuccess: () => {
              onDeleted()
              toast({ title: `${name} is deleted` })
            },
          },
        )
      }
    >
      {children}
    </Confirm>
  )
}
