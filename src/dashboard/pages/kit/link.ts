/** Classes of the link to a record. */
export const RECORD_LINK =
  'rounded-sm font-medium text-text underline-offset-2 hover:text-accent hover:underline'

/** The same in the first column of a table: it covers the row (styles.css). */
export const ROW_LINK = `row-link ${RECORD_LINK}`

/** Classes of a link within text, underlined because colour alone would not distinguish it. */
export const INLINE_LINK =
  'rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent'
