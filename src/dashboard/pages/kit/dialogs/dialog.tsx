import { Dialog as Base } from '@base-ui/react/dialog'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { cx } from '../classes'
import { Button, IconButton } from '../controls/button'
import { useReturnFocus } from './return-focus'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  /** A click outside does not close it. */
  sticky?: boolean
  /** Wide enough for code. */
  wide?: boolean
  /** A change is under way, which a closed dialog would not stop: it stays open until then. */
  busy?: boolean
  /** Shown before Escape, the cross or the browser's history closes it. By default, shown when there is unsaved input. */
  closeWarning?: string | undefined
}

export const BACKDROP =
  'fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0'
export const POPUP =
  'fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[min(var(--popup,30rem),calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto scroll-pb-24 has-data-notice:scroll-pb-56 rounded-xl border border-line bg-surface p-5 shadow-high transition duration-150 data-[ending-style]:scale-[.98] data-[ending-style]:opacity-0 data-[starting-style]:scale-[.98] data-[starting-style]:opacity-0'

/**
 * A modal dialog. Escape, the cross and *Back* of the browser close it, after a warning when input would be lost. The
 * focus returns to where it was.
 */
export const Dialog = (props: Props) => {
  const { open, onClose, title, description, children, closeWarning } = props
  const { sticky = false, wide = false, busy = false } = props
  useReturnFocus()
  const [hasInput, setHasInput] = useState(false)
  const [isWarning, setWarning] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const { history } = useRouter()
  const popup = useRef<HTMLDivElement>(null)
  const warning = closeWarning ?? (hasInput ? 'Your changes are not saved.' : undefined)
  const stay = () => {
    setWarning(false)
    setLeaving(false)
  }
  useBlocker({
    shouldBlockFn: ({ action, current, next }) => {
      // The page that opened it has changed its address, or goes on to another one after a change.
      if (!HISTORY.has(action) || current.pathname === next.pathname) return false
      if (busy) return true
      setWarning(warning !== undefined)
      setLeaving(warning !== undefined && action === 'BACK')
      return warning !== undefined
    },
    enableBeforeUnload: false,
    disabled: !open,
  })
  const onInput = ({ target }: FormEvent) => {
    stay()
    if (target instanceof Element && target.matches(TEXT)) setHasInput(true)
  }
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={sticky}
      onOpenChange={next => {
        if (next || busy) return
        if (warning === undefined) onClose()
        else setWarning(true)
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          ref={popup}
          className={cx(POPUP, wide && '[--popup:44rem]')}
          // On a touch screen a focused field would open the keyboard.
          initialFocus={by => by === 'touch' || popup.current?.querySelector<HTMLElement>(FIRST)}
          onInput={onInput}
        >
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
          {isWarning && !busy && (
            <CloseWarning
              text={warning}
              onStay={stay}
              onClose={() => {
                onClose()
                if (isLeaving) history.back({ ignoreBlocker: true })
              }}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** What the buttons of the browser do. */
const HISTORY: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO'])

/** Not the cross, which comes first. */
const FIRST =
  'input:not([type=radio]), input:checked, select, textarea, button:not([aria-label=Close])'

/** Not a file, which remains where it was chosen. */
const TEXT = 'textarea, input:not([type=checkbox], [type=radio], [type=file])'

type CloseWarningProps = { text: string | undefined; onStay: () => void; onClose: () => void }

const CloseWarning = ({ text, onStay, onClose }: CloseWarningProps) => (
  <div
    role="alert"
    ref={node => node?.scrollIntoView({ block: 'nearest' })}
    className="mt-5 flex flex-wrap items-center justify-end gap-2 rounded-lg bg-warn-soft p-3 text-sm text-warn"
  >
    <p className="grow">{text}</p>
    <span className="flex gap-2">
      <Button onClick={onStay}>Keep open</Button>
      <Button variant="danger" onClick={onClose}>
        Close anyway
      </Button>
    </span>
  </div>
)

/** The buttons at the end of a dialog or a form. They stay in view while a high dialog is scrolled. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 flex flex-wrap justify-end gap-2 bg-surface px-5 pt-3 pb-5 max-sm:[&>*]:grow">
    {children}
  </div>
)
