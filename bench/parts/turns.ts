import type { Cpu } from './cpu'
import type { Figure, Mark, Spread } from './figure'

/** What one turn of one side gave: `value` in the figure's unit, and the CPU of one operation in ms. */
export type Turn = { value: number; cpu: Cpu }
export type Side = () => Promise<Turn>
export type Round = { floor: Turn; product: Turn }

/**
 * Floor and product in turns, the one first in this round and the other in the next: what else the machine does
 * meets both. One turn of each before that is not counted: code is compiled and plans are made.
 */
export const inTurns = async (rounds: number, floor: Side, product: Side): Promise<Round[]> => {
  await floor()
  await product()
  const done: Round[] = []
  for (let n = 0; n < rounds; n++) {
    if (n % 2 === 0) {
      const first = await floor()
      done.push({ floor: first, product: await product() })
    } else {
      const first = await product()
      done.push({ floor: await floor(), product: first })
    }
  }
  return done
}

/** The figure of some rounds: the median of their ratios, not the ratio of their medians. */
export const figureOf = (
  rounds: Round[],
  about: { variant: string; unit: string; mark: Mark | undefined; note?: string },
): Figure => ({
  ...about,
  floor: median(rounds.map(({ floor }) => floor.value)),
  product: median(rounds.map(({ product }) => product.value)),
  ratio: spread(rounds.map(({ floor, product }) => product.value / floor.value)),
  cpu: {
    floor: medianCpu(rounds.map(({ floor }) => floor.cpu)),
    product: medianCpu(rounds.map(({ product }) => product.cpu)),
  },
})

/** The same rounds seen by the CPU that `processes` took for one operation. */
export const cpuFigureOf = (
  rounds: Round[],
  processes: string[],
  about: { variant: string; mark: Mark | undefined },
): Figure => {
  const total = ({ cpu }: Turn) => ({
    value: processes.reduce((sum, name) => sum + (cpu[name] ?? 0), 0),
    cpu,
  })
  const seen = rounds.map(({ floor, product }) => ({
    floor: total(floor),
    product: total(product),
  }))
  return figureOf(seen, { ...about, unit: 'ms of CPU each' })
}

export const spread = (values: number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
})

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** `share` of the values are at most this; `sorted` from the least to the greatest. */
export const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

const medianCpu = (turns: Cpu[]): Cpu => {
  const names = new Set(turns.flatMap(cpu => Object.keys(cpu)))
  return Object.fromEntries(
    Array.from(names, name => [name, median(turns.map(cpu => cpu[name] ?? 0))]),
  )
}
