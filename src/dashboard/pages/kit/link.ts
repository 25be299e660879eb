/** The class names of the link that names a record, in the first column of a table. */
export const LINK = 'font-medium text-text underline-offset-2 hover:text-accent hover:underline'

/** Of a link beside other text. */
export const ASIDE = 'underline underline-offset-2 hover:text-accent'
