import { InvalidArgumentError } from '@commander-js/extra-typings'
import { type IdPrefix, isId } from '../ids'

/** The noun of a record and the prefix of its id: `['webhook', 'wh']`. */
export type Subject = readonly [noun: string, idPrefix: IdPrefix]

/** The argument with the id of a record. */
export const idArgument = ([noun, prefix]: Subject) =>
  ['<id>', `id of the ${noun} (${prefix}_...)`, readId(prefix)] as const

/**
 * The parser of an id. Another value is wrong usage: most often an empty variable, which would select all records, or
 * the id of another record, which would select none.
 */
export const readId =
  (prefix: IdPrefix) =>
  (text: string): string => {
    if (isId(prefix, text)) return text
    throw new InvalidArgumentError(
      `${text === '' ? 'It is empty: it' : 'It'} must be an id such as ${prefix}_01kafz3v5tf4qrm8z3x9d2c7ne.`,
    )
  }

/** The same for an option that can be repeated. */
export const appendId =
  (prefix: IdPrefix) =>
  (text: string, previous: string[] = []): string[] => [...previous, readId(prefix)(text)]

/** The same for an option whose empty value removes the member. */
export const readIdOrEmpty =
  (prefix: IdPrefix) =>
  (text: string): string =>
    text === '' ? text : readId(prefix)(text)
