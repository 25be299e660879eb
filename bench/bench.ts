import type { Figure } from './parts/figure'
import type { Servers } from './parts/servers'

/** A benchmark, one file of this folder each. */
export type Bench = {
  name: string
  /** Descriptions of what is measured, and of the baseline it is compared with in the same run. */
  product: string
  baseline: string
  run: (context: Context) => Promise<Figure[]>
}

export type Context = {
  servers: Servers
  /** Number of alternating measurements of baseline and product. */
  rounds: number
  /** Duration of a measurement that is limited by time. */
  seconds: number
  /** Scales `full`, the count of a measurement that is limited by count; lower in a short run. */
  amount: (full: number) => number
  say: (line: string) => void
}
