import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '../classes'

const VARIANTS = {
  primary: 'border-transparent bg-accent-solid text-white hover:brightness-110',
  plain: 'border-line-strong bg-surface text-text hover:bg-hover shadow-low',
  quiet: 'border-transparent bg-transparent text-muted hover:bg-hover hover:text-text',
  danger: 'border-transparent bg-bad-solid text-white hover:brightness-110',
} as const

type Props = ComponentProps<'button'> & {
  variant?: keyof typeof VARIANTS
  /** The action is running: the button does nothing and shows a spinner. It keeps the focus, unlike a disabled one. */
  busy?: boolean
}

/** Classes of a button, for a link that looks like one. */
export const buttonClass = (variant: keyof typeof VARIANTS = 'plain', className?: string) =>
  cx(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap transition-colors select-none disabled:opacity-55 aria-disabled:opacity-55 max-sm:h-9',
    VARIANTS[variant],
    className,
  )

export const Button = ({ variant, busy = false, className, children, onClick, ...rest }: Props) => (
  <button
    type="button"
    {...rest}
    aria-disabled={busy || undefined}
    aria-busy={busy || undefined}
    onClick={busy ? event => event.preventDefault() : onClick}
    className={buttonClass(variant, className)}
  >
    {busy && <LoaderCircle aria-hidden className="size-3.5 animate-spin" />}
    {children}
  </button>
)

type IconProps = ComponentProps<'button'> & { label: string }

/** A button that shows only an icon; `label` is its name for screen readers and its tooltip. */
export const IconButton = ({ label, className, children, ...rest }: IconProps) => (
  <button
    type="button"
    title={label}
    aria-label={label}
    {...rest}
    className={cx(
      'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text max-sm:size-9 [&_svg]:size-4',
      className,
    )}
  >
    {children}
  </button>
)
