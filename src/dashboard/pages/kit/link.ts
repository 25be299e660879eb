/** The class names of the link that names a record, in the first column of a table. */
export const LINK =
  'rounded-sm font-medium text-text underline-offset-2 hover:text-accent hover:underline'

/** Of a link beside other text: by colour alone it would not be told from that. */
export const ASIDE =
  'rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent'
