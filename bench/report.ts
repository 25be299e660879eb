import type { Bench } from './bench'
import type { Cpu } from './parts/cpu'
import type { Figure } from './parts/figure'
import { isMet } from './parts/goal'

/** Formats a benchmark and its figures for a terminal. */
export const formatBench = (bench: Bench, figures: Figure[]): string =>
  [
    `${bench.name}: ${bench.product}`,
    `  baseline: ${bench.baseline}`,
    ...figures.map(formatFigure),
  ].join('\n')

const formatFigure = (figure: Figure): string => {
  const { variant, unit, baseline, product, cpu, note } = figure
  const met = isMet(figure)
  const values = [
    `${formatNumber(product)} ${unit}`,
    baseline !== undefined && `baseline ${formatNumber(baseline)}`,
    formatRatio(figure),
    met !== undefined && `${formatGoal(figure)}: ${met ? 'met' : 'MISSED'}`,
  ]
  return [
    `  ${variant && `${variant}: `}${values.filter(Boolean).join(', ')}`,
    ...(note ? [`    ${note}`] : []),
    ...Object.entries(cpu).map(([side, used]) => `    CPU ms each, ${side}: ${formatCpu(used)}`),
  ].join('\n')
}

/** The ratio, and what it means: `0.82 x (0.71 to 0.90), 18 % fewer`. */
export const formatRatio = ({ ratio, unit }: Figure): string =>
  ratio === undefined
    ? ''
    : `${ratio.median.toFixed(2)} x (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}), ${compare(ratio.median, unit)}`

/** A ratio in words, such as `18 % fewer`, `67 % more CPU`, or `2.4 times the memory`. */
const compare = (ratio: number, unit: string): string => {
  const isRate = unit.endsWith('/s')
  const what = isRate ? '' : (WHAT[unit] ?? unit)
  const percent = Math.round(Math.abs(ratio - 1) * 100)
  if (percent === 0) return 'the same'
  if (ratio >= 2 || ratio < 0.5)
    return `${formatNumber(ratio)} times ${isRate ? 'as many' : `the ${what}`}`
  const word = ratio > 1 ? 'more' : isRate ? 'fewer' : 'less'
  return `${percent} % ${word} ${what}`.trimEnd()
}

const WHAT: Record<string, string> = {
  'ms of CPU each': 'CPU',
  MB: 'memory',
  ms: 'time',
  s: 'time',
}

export const formatGoal = ({ goal, unit }: Figure): string =>
  goal === undefined
    ? ''
    : `at ${goal.at} ${goal.value.toLocaleString('en')} ${goal.of === 'ratio' ? 'x' : unit}`

/** Three significant digits. */
export const formatNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

/** Omits values below half a microsecond. */
export const formatCpu = (cpu: Cpu): string =>
  Object.entries(cpu)
    .filter(([, ms]) => ms >= 0.0005)
    .map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
    .join(', ')
