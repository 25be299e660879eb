import { type ReactNode, useState } from 'react'
import type { Detail } from '../../../../errors'
import { ApiError } from '../../api/client'
import { Button } from '../controls/button'
import { Form } from '../forms/form'
import { Actions, Dialog } from './dialog'

type Props = {
  title: string
  description?: ReactNode
  /** The text of the submit button: a verb. */
  action: string
  /** Something that must be chosen is missing. */
  disabled?: boolean
  /** The change is destructive. */
  danger?: boolean
  /** As that of `Dialog`. */
  closeWarning?: string | undefined
  /** Closing it stops what is under way. */
  mayClose?: boolean
  /** The state of the change that it submits. */
  change: { error: Error | null; isPending: boolean }
  /** Names of edited members that another user changed meanwhile (`useOverwritten`). */
  overwrites?: string[]
  /** What is wrong that the server could not see: it is shown like the server's errors, and nothing is submitted. */
  check?: () => Detail[]
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form. A click outside does not close it, and input is kept when the change fails. */
export const FormDialog = (props: Props) => {
  const { title, description, action, disabled = false, danger = false, children } = props
  const { closeWarning, change, overwrites = [], check, onSubmit, onClose } = props
  const { mayClose = !change.isPending } = props
  const [refused, setRefused] = useState<Error | null>(null)
  const submit = () => {
    const wrong = check?.() ?? []
    setRefused(wrong.length === 0 ? null : toError(wrong))
    if (wrong.length === 0) onSubmit()
  }
  return (
    <Dialog
      open
      sticky
      title={title}
      description={description}
      closeWarning={closeWarning}
      busy={!mayClose}
      onClose={onClose}
    >
      <Form
        error={refused ?? change.error}
        onSubmit={submit}
        notice={
          overwrites.length > 0 &&
          !change.isPending && (
            <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
              Changed in another tab or by another user while you were editing:{' '}
              {overwrites.map(name => name.replaceAll('_', ' ')).join(', ')}. Saving replaces that
              change. To read it first, copy your text and open this dialog again.
            </p>
          )
        }
        actions={
          <Actions>
            <Button disabled={!mayClose} onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              variant={danger ? 'danger' : 'primary'}
              busy={change.isPending}
              disabled={disabled}
            >
              {action}
            </Button>
          </Actions>
        }
      >
        {children}
      </Form>
    </Dialog>
  )
}

const toError = (details: Detail[]) =>
  new ApiError(
    422,
    'VALIDATION_ERROR',
    details.map(({ path, message }) => `${path}: ${message}`).join('; '),
    null,
    details,
  )
