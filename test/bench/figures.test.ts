import { expect, test } from 'bun:test'
import { isMet, ratioAtLeast } from '../../bench/parts/goal'
import { alternate, percentile, toFigure } from '../../bench/parts/rounds'

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
