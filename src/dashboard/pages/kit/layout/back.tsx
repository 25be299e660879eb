import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'

/** The link back to the list or to the parent record. */
export const Back = (props: LinkProps & { children: string }) => (
  <Link
    {...props}
    title={props.children}
    className="-ml-1 inline-flex max-w-[calc(100%+0.25rem)] items-center gap-0.5 rounded-sm font-medium text-muted hover:text-text"
  >
    <ChevronLeft aria-hidden className="size-4 shrink-0" />
    <span className="truncate">{props.children}</span>
  </Link>
)
