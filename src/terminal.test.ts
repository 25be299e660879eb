import { expect, test } from 'bun:test'
import { styleText } from 'node:util'
import { fc } from '../test/support/property'
import { toTerminalJson, toTerminalText } from './terminal'

test.each([
  ['plain text, ünïcode 漢字 😀\tand\nlines', undefined],
  ['\x1b[2J\x1b[1;1Hgone', '\ufffd[2J\ufffd[1;1Hgone'],
  ['\x1b]0;title\x07', '\ufffd]0;title\ufffd'],
  ['\x1b]52;c;Y2xpcA==\x1b\\', '\ufffd]52;c;Y2xpcA==\ufffd\\'],
  ['\x9b2J and \x1b[8mhidden', '\ufffd2J and \ufffd[8mhidden'],
  ['over\rwritten', 'over\ufffdwritten'],
  ['abc\u202ecba\u2066', 'abc\ufffdcba\ufffd'],
])('%j', (text, clean) => {
  expect(toTerminalText(text)).toBe(clean ?? text)
})

test('colours of our own stay', () => {
  const text = styleText('red', 'failed', { validateStream: false })
  expect(toTerminalText(text)).toBe(text)
})

test('JSON has no control character either, and is the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const json = toTerminalJson({ text })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in it.
      expect(json).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
      expect(JSON.parse(json)).toEqual({ text })
    }),
  )
})
