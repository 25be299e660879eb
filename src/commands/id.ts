import { InvalidArgumentError } from '@commander-js/extra-typings'

/**
 * The parser of an id: wrong usage where it is empty, as an unset variable of a script is, or is no word. In a path it
 * would become another path, that of the list; as a filter it would find nothing.
 */
export const readId = (text: string): string => {
  if (/^\w+$/.test(text)) return text
  throw new InvalidArgumentError(text === '' ? 'The id is empty.' : 'It is not an id.')
}
