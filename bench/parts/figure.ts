import type { Cpu } from './cpu'

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

export type Spread = { median: number; least: number; most: number }

/** What a figure must reach: its ratio to the floor (`x`), or the product's own value. */
export type Mark = { at: 'least' | 'most'; value: number; of: 'ratio' | 'product' }
