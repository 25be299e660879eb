import { AlertDialog } from '@base-ui/react/alert-dialog'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../controls/button'
import { Problem } from '../layout/problem'
import { Actions, BACKDROP, POPUP } from './dialog'
import { useReturnFocus } from './return-focus'

type Props = {
  open: boolean
  onClose: () => void
  /** A question, such as "Revoke Production?" */
  title: string
  /** What breaks, and whether it can be undone. */
  children: ReactNode
  /** The text of the button: a verb. */
  action: string
  /** The text of the button that does nothing, where "Cancel" would be ambiguous. */
  dismiss?: string
  onConfirm: () => void
  busy?: boolean
  error?: Error | null
  danger?: boolean
  /** The button stays disabled, because something is to be typed first. */
  disabled?: boolean
}

/** Asks for confirmation. Only its buttons and Escape close it. */
export const Confirm = ({
  open,
  onClose,
  title,
  children,
  action,
  dismiss = 'Cancel',
  onConfirm,
  busy = false,
  error = null,
  danger = true,
  disabled = false,
}: Props) => {
  useReturnFocus()
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={next => {
        // A closed dialog would not stop a change that is under way.
        if (!next && !busy) onClose()
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={POPUP}>
          <div className="flex gap-3.5">
            {danger && (
              <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-bad-soft text-bad">
                <TriangleAlert aria-hidden className="size-4.5" />
              </span>
            )}
            <div className="min-w-0 grow">
              <AlertDialog.Title className="text-lg font-semibold tracking-tight break-words">
                {title}
              </AlertDialog.Title>
              <AlertDialog.Description
                render={<div className="mt-1 space-y-2 text-sm text-muted" />}
              >
                {children}
              </AlertDialog.Description>
            </div>
          </div>
          <Problem error={error} className="mt-4" />
          <Actions>
            <AlertDialog.Close render={<Button disabled={busy} />}>{dismiss}</AlertDialog.Close>
            <Button
              variant={danger ? 'danger' : 'primary'}
              busy={busy}
              disabled={disabled}
              onClick={onConfirm}
            >
              {action}
            </Button>
          </Actions>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
