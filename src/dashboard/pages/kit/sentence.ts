/** The text with a capital first letter. */
export const capitalize = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The text with a capital first letter and one full stop. */
export const sentence = (text: string): string => `${capitalize(text).replace(/\.$/, '')}.`
