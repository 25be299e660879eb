import { after, isBefore, type Position } from './entry'

/**
 * What a claimer knows of the rows of one webhook and kind: some positions, in order, and from where on there can be
 * more in PostgreSQL.
 */
export type Positions = { known: Position[]; from: Position | undefined }

/** Most known positions of a webhook and kind. The rest is read when these are used up. */
const KNOWN_MAX = 200

export const isEmpty = ({ known, from }: Positions): boolean =>
  known.length === 0 && from === undefined

/** Adds a position. One that is known, or will be read, changes nothing. */
export const addPosition = (list: Positions, one: Position): void => {
  const { known, from } = list
  if (from !== undefined && !isBefore(one, from)) return
  let index = known.length
  for (let before = known[index - 1]; before !== undefined; before = known[--index - 1]) {
    if (isBefore(before, one)) break
    if (!isBefore(one, before)) return
  }
  known.splice(index, 0, one)
  if (known.length > KNOWN_MAX) list.from = known.pop()
}

/** From this position on there can be more in PostgreSQL: what was known of it is read again. */
export const addFrom = (list: Positions, one: Position): void => {
  if (list.from === undefined || isBefore(one, list.from)) list.from = one
  const { from } = list
  list.known = list.known.filter(position => isBefore(position, from))
}

/** Adds a row after which there can be more in PostgreSQL: it is known, what follows is read. */
export const addFirst = (list: Positions, one: Position): void => {
  addFrom(list, after(one))
  addPosition(list, one)
}

/** Forgets the known positions; they are read again when their turn comes. */
export const forgetKnown = (list: Positions): void => {
  const [first] = list.known
  if (first !== undefined) addFrom(list, first)
}

/** Takes over what was read from `list.from` on. More can follow `last`; undefined: nothing follows. */
export const setRead = (list: Positions, read: Position[], last: Position | undefined): void => {
  list.from = last && after(last)
  list.known = [...list.known, ...read]
}
