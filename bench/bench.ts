import type { Cpu } from './parts/cpu'
import type { Mark } from './parts/mark'
import type { Servers } from './parts/servers'
import type { Spread } from './parts/turns'

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

/** A line of the report. `floor` and `product` are medians over the rounds, in `unit`. */
export type Figure = {
  /** What tells it from the bench's other figures: the lane, the store, the case. */
  variant: string
  unit: string
  floor?: number
  product: number
  /** Product to floor, of the turns of one round each. */
  ratio?: Spread
  mark: Mark | undefined
  /** Milliseconds of CPU for each operation, by process. */
  cpu: { floor?: Cpu; product?: Cpu }
  note?: string
}
