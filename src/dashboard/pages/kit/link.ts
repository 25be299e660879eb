/** The class names of a link within a text or a table. */
export const LINK = 'font-medium text-text underline-offset-2 hover:text-accent hover:underline'
