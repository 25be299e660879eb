import type { Cpu } from './cpu'
import type { Figure, Goal, Spread } from './figure'

/**
 * The result of one measurement: `value` in the unit of the figure, and the CPU time of one operation in ms.
 */
export type Measurement = { value: number; cpu: Cpu }
export type Measure = () => Promise<Measurement>
export type Round = { baseline: Measurement; product: Measurement }

/**
 * Alternates baseline and product, in changing order, so that other load on the machine affects both. The
 * first measurement of each is a warm-up and not counted.
 */
export const alternate = async (
  rounds: number,
  baseline: Measure,
  product: Measure,
): Promise<Round[]> => {
  await baseline()
  await product()
  const done: Round[] = []
  for (let n = 0; n < rounds; n++) {
    if (n % 2 === 0) {
      const first = await baseline()
      done.push({ baseline: first, product: await product() })
    } else {
      const first = await product()
      done.push({ baseline: await baseline(), product: first })
    }
  }
  return done
}

/** The figure of all rounds, with the median of their ratios. */
export const toFigure = (
  rounds: Round[],
  about: { variant: string; unit: string; goal: Goal | undefined; note?: string },
): Figure => ({
  ...about,
  baseline: median(rounds.map(({ baseline }) => baseline.value)),
  product: median(rounds.map(({ product }) => product.value)),
  ratio: spread(rounds.map(({ baseline, product }) => product.value / baseline.value)),
  cpu: {
    baseline: medianCpu(rounds.map(({ baseline }) => baseline.cpu)),
    product: medianCpu(rounds.map(({ product }) => product.cpu)),
  },
})

/** The figure of the CPU time that `processes` took for one operation. */
export const toCpuFigure = (
  rounds: Round[],
  processes: string[],
  about: { variant: string; goal: Goal | undefined },
): Figure => {
  const total = ({ cpu }: Measurement) => ({
    value: processes.reduce((sum, name) => sum + (cpu[name] ?? 0), 0),
    cpu,
  })
  const seen = rounds.map(({ baseline, product }) => ({
    baseline: total(baseline),
    product: total(product),
  }))
  return toFigure(seen, { ...about, unit: 'ms of CPU each' })
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

/** The value that a `share` of the `sorted` values does not exceed. */
export const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

const medianCpu = (measurements: Cpu[]): Cpu => {
  const names = new Set(measurements.flatMap(cpu => Object.keys(cpu)))
  return Object.fromEntries(
    Array.from(names, name => [name, median(measurements.map(cpu => cpu[name] ?? 0))]),
  )
}
