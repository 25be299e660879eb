/**
 * What is next for a row of `delivery_queue`: its column `kind`. A webhook gets them in this order, but for every fourth
 * turn (`nextKind`).
 */
export const KIND = {
  /** Start a workflow: the first attempt was made without one and failed. */
  workflow: 0,
  /** The first attempt, in the order of an ordered webhook. */
  inOrder: 1,
  /** The first attempt, in no order. */
  first: 2,
  /** The first attempt of a redelivery. */
  redelivery: 3,
  /** Nothing: a workflow makes the attempts. */
  owned: 4,
} as const

/** Kinds that a worker can claim as soon as they are due: neither in an order nor a workflow's. */
export const DUE_KINDS: number[] = [KIND.workflow, KIND.first, KIND.redelivery]

/** A position within the rows of one webhook and kind, in the order of the primary key. */
export type Position = { sequence: number; id: string }

/** A row of `delivery_queue`: its primary key. */
export type Entry = Position & { accountId: string; webhookId: string; kind: number }

/** Before every id. Not '', which is no element in a list of text. */
export const START: Position = { sequence: 0, id: '0' }

export const isBefore = (a: Position, b: Position): boolean =>
  a.sequence < b.sequence || (a.sequence === b.sequence && a.id < b.id)

/** The position directly after this one. Ids contain no `~`, and have the same length. */
export const after = ({ sequence, id }: Position): Position => ({ sequence, id: `${id}~` })
