import { expect, test } from 'bun:test'
import { fc } from '../../../../../test/support/property'
import { movePosition } from './keep-position'

test.each([
  ['before the change', 'one| two', 'one 2', 'one| 2'],
  ['behind the change', 'one two| three', '1 two three', '1 two| three'],
  ['in what was replaced', 'one tw|o three', 'one 2 three', 'one 2| three'],
  ['at the end', 'one|', 'one two', 'one| two'],
  ['where nothing is left', 'one|', '', '|'],
])('the cursor stays where it is %s', (_, before, after, expected) => {
  const position = movePosition(before.indexOf('|'), before.replace('|', ''), after)
  expect(`${after.slice(0, position)}|${after.slice(position)}`).toBe(expected)
})

test('the cursor is always in the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), (before, after, random) => {
      const position = movePosition(random % (before.length + 1), before, after)
      expect(position).toBeGreaterThanOrEqual(0)
      expect(position).toBeLessThanOrEqual(after.length)
    }),
  )
})
