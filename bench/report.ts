import type { Bench } from './bench'
import type { Cpu } from './parts/cpu'
import type { Figure } from './parts/figure'
import { isMet } from './parts/mark'

/** A bench and its figures, for a terminal. */
export const inWords = (bench: Bench, figures: Figure[]): string =>
  [`${bench.name}: ${bench.product}`, `  floor: ${bench.floor}`, ...figures.map(lines)].join('\n')

const lines = (figure: Figure): string => {
  const { variant, unit, floor, product, cpu, note } = figure
  const met = isMet(figure)
  const values = [
    `${number(product)} ${unit}`,
    floor !== undefined && `floor ${number(floor)}`,
    ratioText(figure),
    met !== undefined && `${goalText(figure)}: ${met ? 'met' : 'MISSED'}`,
  ]
  return [
    `  ${variant && `${variant}: `}${values.filter(Boolean).join(', ')}`,
    ...(note ? [`    ${note}`] : []),
    ...Object.entries(cpu).map(([side, used]) => `    CPU ms each, ${side}: ${cpuText(used)}`),
  ].join('\n')
}

export const ratioText = ({ ratio }: Figure): string =>
  ratio === undefined
    ? ''
    : `${ratio.median.toFixed(2)} x (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`

export const goalText = ({ mark, unit }: Figure): string =>
  mark === undefined
    ? ''
    : `at ${mark.at} ${mark.value.toLocaleString('en')} ${mark.of === 'ratio' ? 'x' : unit}`

/** Three digits that count. */
export const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

/** Less than half a microsecond is left out. */
export const cpuText = (cpu: Cpu): string =>
  Object.entries(cpu)
    .filter(([, ms]) => ms >= 0.0005)
    .map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
    .join(', ')
