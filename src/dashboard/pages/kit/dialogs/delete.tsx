import type { ReactNode } from 'react'
import { useChange } from '../../api/queries'
import { toast } from '../controls/toast'
import { Confirm } from './confirm'

type Props = {
  /** What the person calls it: a title, a name. */
  name: string
  /** Of the public API, below `/v1`. */
  path: string
  /** The kinds of records that go or change with it. */
  changes: string[]
  /** What goes with it, and that it cannot be undone. */
  children: ReactNode
  onClose: () => void
  onDeleted: () => void
}

/** Asks, then deletes for good. */
export const Delete = ({ name, path, changes, children, onClose, onDeleted }: Props) => {
  const remove = useChange(...changes)
  return (
    <Confirm
      open
      title={`Delete ${name}?`}
      action="Delete for good"
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
