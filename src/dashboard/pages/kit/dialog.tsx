import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  /** A click beside it does not close it: something would be lost. */
  sticky?: boolean
}

export const BACKDROP =
  'fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0'
export const POPUP =
  'fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-high transition duration-150 data-[ending-style]:scale-[.98] data-[ending-style]:opacity-0 data-[starting-style]:scale-[.98] data-[starting-style]:opacity-0'

/** A window over the page. Escape and the cross close it; the focus comes back to where it was. */
export const Dialog = ({ open, onClose, title, description, children, sticky = false }: Props) => (
  <Base.Root
    open={open}
    disablePointerDismissal={sticky}
    onOpenChange={next => {
      if (!next) onClose()
    }}
  >
    <Base.Portal>
      <Base.Backdrop className={BACKDROP} />
      <Base.Popup className={POPUP}>
        <div className="mb-4 flex items-start gap-3">
          <div className="grow">
            <Base.Title className="text-lg font-semibold tracking-tight">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className="mt-0.5 text-sm text-muted">
                {description}
              </Base.Description>
            )}
          </div>
          <Base.Close render={<IconButton label="Close" className="-mt-1 -mr-1.5" />}>
            <X />
          </Base.Close>
        </div>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** The buttons at the end of a dialog or a form. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className="mt-5 flex flex-wrap justify-end gap-2 max-sm:[&>*]:grow">{children}</div>
)
