import { expect, test } from 'bun:test'
import { csvLine } from './csv-line'

test('a text that a spreadsheet would run gets an apostrophe, a negative number does not', () => {
  expect(csvLine(['=cmd', '-17', 'a;b', -17, 7, null])).toBe("'=cmd,'-17,a;b,-17,7,\r\n")
})
