type Props = {
  children: string
  /** By default the full name. */
  title?: string
}

/** A name of any length, cut off after two lines, with a tooltip. */
export const TwoLines = ({ children, title = children }: Props) => (
  <span title={title} className="two-lines">
    {children}
  </span>
)
