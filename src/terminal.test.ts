import { expect, test } from 'bun:test'
import { fc } from '../test/support/property'
import { toTerminalJson, toTerminalLine, toTerminalText } from './terminal'

test.each([
  ['plain text, ünïcode 漢字 😀\tand\nlines', undefined],
  ['\x1b[2J\x1b[1;1Hgone', '\ufffd[2J\ufffd[1;1Hgone'],
  ['\x1b]0;title\x07', '\ufffd]0;title\ufffd'],
  ['\x1b]52;c;Y2xpcA==\x1b\\', '\ufffd]52;c;Y2xpcA==\ufffd\\'],
  ['\x9b2J and \x1b[8mhidden', '\ufffd2J and \ufffd[8mhidden'],
  ['over\rwritten', 'over\ufffdwritten'],
  ['\x1b[37mwhite on white\x1b[0m', '\ufffd[37mwhite on white\ufffd[0m'],
  ['abc\u202ecba\u2066', 'abc\ufffdcba\ufffd'],
])('%j', (text, clean) => {
  expect(toTerminalText(text)).toBe(clean ?? text)
})

test('a part of a line stays in its line', () => {
  expect(toTerminalLine('a\nkey_1\tfree\r\n\x1b[1Ab\u202ec')).toBe(
    'a key_1 free  \ufffd[1Ab\ufffdc',
  )
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
