import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { ApiError } from '../../api/client'
import { cx } from '../classes'
import { IconButton } from './button'

type ToastOptions = { tone?: 'good' | 'bad'; title: string; text?: string | undefined }

const manager = Toast.createToastManager()
const GOOD_MS = 4_000
/** Errors take longer to read. */
const BAD_MS = 12_000

/** Shows a message in a corner for a few seconds. Screen readers announce it. */
export const toast = ({ tone = 'good', title, text }: ToastOptions): void => {
  manager.add({
    title,
    description: text,
    type: tone,
    timeout: tone === 'good' ? GOOD_MS : BAD_MS,
    // With a high priority, screen readers announce a copy of the text and cannot reach the toast's button.
    priority: 'low',
  })
}

/** Shows a failed change. Forms use `<Problem>` instead. */
export const toastError = (title: string, error: Error): void => {
  const id = error instanceof ApiError ? error.requestId : null
  toast({ tone: 'bad', title, text: `${error.message}${id === null ? '' : ` Request ID: ${id}`}` })
}

/** The area of the toasts, above the buttons at the end of a page. Rendered once. */
export const Toasts = () => (
  <Toast.Provider toastManager={manager} limit={4}>
    <Toast.Portal>
      <Toast.Viewport className="fixed right-4 bottom-18 z-50 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2 print:hidden">
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

const List = () =>
  Toast.useToastManager().toasts.map(one => (
    <Toast.Root
      key={one.id}
      toast={one}
      swipeDirection="right"
      data-toast=""
      className="rounded-lg border border-line bg-surface p-3 shadow-high transition-opacity duration-150 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2.5">
        <span className={cx('mt-0.5', one.type === 'bad' ? 'text-bad' : 'text-good')} aria-hidden>
          {one.type === 'bad' ? (
            <CircleAlert className="size-4" />
          ) : (
            <CircleCheck className="size-4" />
          )}
        </span>
        <div className="min-w-0 grow">
          <Toast.Title className="text-sm font-medium" />
          <Toast.Description className="text-sm break-words text-muted" />
        </div>
        <Toast.Close render={<IconButton label="Dismiss" className="-mt-1 -mr-1 size-7" />}>
          <X />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
