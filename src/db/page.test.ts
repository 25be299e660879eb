import { expect, test } from 'bun:test'
import { fc } from '../../test/support/property'
import { countWithinBudget, PAGE_BYTES_MAX } from './page'

const jsonBytes = (text: string | null) => Buffer.byteLength(JSON.stringify(text))

test('as many texts as fit into the budget as JSON, whatever it escapes', () => {
  const character = fc.constantFrom('a', '"', '\n', '\u0001', '\u001f', '\u007f', 'é', '日', '🫖')
  const text = fc
    .tuple(character, fc.integer({ min: 0, max: 600_000 }))
    .map(([one, count]) => one.repeat(count))
  const texts = fc.array(fc.option(text), { maxLength: 12 })
  fc.assert(
    fc.property(texts, list => {
      const count = countWithinBudget(list, list)
      const bytesOf = (n: number) => list.slice(0, n).reduce((sum, one) => sum + jsonBytes(one), 0)
      expect(bytesOf(count)).toBeLessThanOrEqual(PAGE_BYTES_MAX)
      if (count < list.length) expect(bytesOf(count + 1)).toBeGreaterThan(PAGE_BYTES_MAX)
    }),
    { numRuns: 60 },
  )
})
