import type { ReactNode } from 'react'
import { Button } from '../controls/button'
import { Form } from '../forms/form'
import { Actions, Dialog } from './dialog'

type Props = {
  title: string
  description?: ReactNode
  /** The verb on the button that sends it. */
  action: string
  /** What is sent breaks something for others. */
  danger?: boolean
  /** How the change that it asks for goes. */
  change: { error: Error | null; isPending: boolean }
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A window that is one form. A click beside it does not close it, and a change that fails keeps what was typed. */
export const FormDialog = (props: Props) => {
  const { title, description, action, danger = false, change, onSubmit, onClose, children } = props
  return (
    <Dialog open sticky title={title} description={description} onClose={onClose}>
      <Form
        error={change.error}
        onSubmit={onSubmit}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look={danger ? 'danger' : 'primary'} busy={change.isPending}>
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
