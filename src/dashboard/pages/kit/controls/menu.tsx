import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '../classes'

type Props = {
  trigger: ReactElement
  label?: string
  children: ReactNode
  /** The trigger does not move when the page scrolls. Otherwise the menu would, for a moment, and a click would miss. */
  fixed?: boolean
}

/** A menu under a button, usable by arrow keys, letters and Escape. */
export const Menu = ({ trigger, label, children, fixed = false }: Props) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner
        sideOffset={6}
        align="end"
        positionMethod={fixed ? 'fixed' : 'absolute'}
        className="z-50"
      >
        <Base.Popup
          aria-label={label}
          className="min-w-44 rounded-lg border border-line bg-surface p-1 shadow-high transition-opacity duration-100 outline-none data-[ending-style]:opacity-0 data-[starting-style]:opacity-0"
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = {
  children: ReactNode
  icon?: ReactNode
  onClick?: () => void
  danger?: boolean
  disabled?: boolean
}

export const MenuItem = ({
  children,
  icon,
  onClick,
  danger = false,
  disabled = false,
}: ItemProps) => (
  <Base.Item
    disabled={disabled}
    onClick={onClick}
    className={cx(
      'flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50 data-[highlighted]:bg-hover max-sm:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0',
      danger ? 'text-bad' : 'text-text [&_svg]:text-muted',
    )}
  >
    {icon}
    {children}
  </Base.Item>
)

export const MenuLine = () => <Base.Separator className="my-1 h-px bg-line" />
