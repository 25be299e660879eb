import { expect, test } from 'bun:test'
import { isMet, ratioAtLeast } from '../../bench/parts/goal'
import { alternate, percentile, toFigure } from '../../bench/parts/rounds'
import { formatRatio } from '../../bench/report'

test('baseline and product alternate, and the figure is the median of the ratios of their rounds', async () => {
  const order: string[] = []
  const side = (name: string, values: number[]) => async () => {
    order.push(name)
    return { value: values.shift() ?? 0, cpu: { postgres: 1 } }
  }
  const rounds = await alternate(
    3,
    side('baseline', [1, 100, 10, 100]),
    side('product', [1, 50, 20, 90]),
  )
  expect(order.join(' ')).toBe(
    'baseline product baseline product product baseline baseline product',
  )
  const figure = toFigure(rounds, { variant: '', unit: 'a second', goal: ratioAtLeast(0.9) })
  expect(figure).toMatchObject({
    baseline: 100,
    product: 50,
    ratio: { median: 0.9, least: 0.5, most: 2 },
  })
  expect(isMet(figure)).toBe(true)
  expect(isMet({ ...figure, goal: ratioAtLeast(0.91) })).toBe(false)
})

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, n) => n + 1)
  expect([0.5, 0.95, 0.99, 1].map(share => percentile(values, share))).toEqual([50, 95, 99, 100])
  expect(percentile([7], 0.99)).toBe(7)
})

test('a ratio is explained in words', () => {
  const format = (ratio: number, unit: string) =>
    formatRatio({
      variant: '',
      unit,
      product: 1,
      ratio: { median: ratio, least: ratio, most: ratio },
      goal: undefined,
      cpu: {},
    }).replace(/.*\), /, '')
  expect([
    format(0.82, 'requests/s'),
    format(1.39, 'deliveries/s'),
    format(2.4, 'events/s'),
    format(1.674, 'ms of CPU each'),
    format(0.9, 'ms'),
    format(3.2, 'MB'),
    format(1.004, 'ms'),
  ]).toEqual([
    '18 % fewer',
    '39 % more',
    '2.40 times as many',
    '67 % more CPU',
    '10 % less time',
    '3.20 times the memory',
    'the same',
  ])
})
