import { InvalidArgumentError } from '@commander-js/extra-typings'

/** The parser of an option with a whole number from `min` to `max`: another value is wrong usage. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
