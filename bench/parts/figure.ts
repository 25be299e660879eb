import type { Cpu } from './cpu'

/** A line of the report. `baseline` and `product` are medians over the rounds, in `unit`. */
export type Figure = {
  /** Distinguishes the figures of a benchmark: the lane, the store, the case. */
  variant: string
  unit: string
  baseline?: number
  product: number
  /** Ratio of product to baseline in each round. */
  ratio?: Spread
  goal: Goal | undefined
  /** CPU time of each operation in ms, by process. */
  cpu: { baseline?: Cpu; product?: Cpu }
  note?: string
}

export type Spread = { median: number; least: number; most: number }

/** The required value of a figure: of its ratio to the baseline, or of the product. */
export type Goal = { at: 'least' | 'most'; value: number; of: 'ratio' | 'product' }
