import { ExternalLink } from 'lucide-react'
import { INLINE_LINK } from '../link'

type Props = {
  /** Its address, such as /docs/guides/webhooks. */
  to: string
  children: string
}

/** A link to a page of the documentation, in a new tab: what is typed here is kept. */
export const DocLink = ({ to, children }: Props) => (
  <a
    href={to}
    target="_blank"
    rel="noreferrer"
    className={`${INLINE_LINK} inline-flex items-center gap-1`}
  >
    {children}
    <ExternalLink role="img" aria-label="opens a new tab" className="size-3" />
  </a>
)
