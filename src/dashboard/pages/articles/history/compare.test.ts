import { expect, test } from 'bun:test'
import { compareTexts } from './compare'

const shown = (earlier: string, later: string) =>
  compareTexts(earlier, later)
    .map(({ kind, text }) => ({ same: text, added: `{+${text}+}`, removed: `{-${text}-}` })[kind])
    .join('')

test('shows changed words within a changed line', () => {
  expect(
    shown('Grind coarse.\n\nWait a day for it.\n', 'Grind coarse.\n\nWait two days for it.\n'),
  ).toBe('Grind coarse.\n\nWait {-a-}{+two+} {-day-}{+days+} for it.\n')
})

test('shows lines that were added and removed', () => {
  expect(shown('a\nb\nc\n', 'a\nc\nd\n')).toBe('a\n{-b\n-}c\n{+d\n+}')
})

test('shows lines that have little in common one after the other', () => {
  expect(shown('Grind it coarse.\n', 'Use a fine filter.\n')).toBe(
    '{-Grind it coarse.\n-}{+Use a fine filter.\n+}',
  )
})

test('shows a text beside none', () => {
  expect(shown('', 'New.')).toBe('{+New.+}')
  expect(shown('Old.', '')).toBe('{-Old.-}')
})

test('both texts are complete, however different they are', () => {
  const random = (seed: number) =>
    Array.from({ length: 20_000 }, (_, n) => ((n * seed) % 7919).toString(36)).join(' ')
  const [earlier, later] = [random(13), random(17)]
  const parts = compareTexts(earlier, later)
  const textOf = (without: string) =>
    parts.flatMap(({ kind, text }) => (kind === without ? [] : text)).join('')
  expect(textOf('added')).toBe(earlier)
  expect(textOf('removed')).toBe(later)
})

test('line breaks of Windows are no difference', () => {
  expect(shown('One\r\nTwo\r\nThree', 'One\nOther\nThree')).toBe('One\n{-Two\n-}{+Other\n+}Three')
})
