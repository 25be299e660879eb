import type { Figure } from './parts/figure'
import type { Servers } from './parts/servers'

/** One line of the table: a file of this folder each. */
export type Bench = {
  name: string
  /** What is measured, and what it is held against in the same run, in words. */
  product: string
  floor: string
  run: (context: Context) => Promise<Figure[]>
}

export type Context = {
  servers: Servers
  /** Floor and product in turns, so many times each. */
  rounds: number
  /** Of each turn, where a turn is a length of time. */
  seconds: number
  /** How many to take of `full`, where a turn is a number of things: fewer in a short run. */
  amount: (full: number) => number
  say: (line: string) => void
}
