import { expect, test } from 'bun:test'
import { joinLine, table } from './print'

test('no cell of a table can add a line, a column or an escape sequence', () => {
  const rows = [
    ['ID', 'NAME', 'STATUS'],
    ['key_1', 'a\nkey_2  b\tactive\r', 'revoked'],
    ['key_3', '\x1b[37mc\x1b[0m', 'active'],
  ]
  expect(table(rows).split('\n')).toEqual([
    'ID     NAME                STATUS',
    'key_1  a key_2  b active   revoked',
    'key_3  \ufffd[37mc\ufffd[0m          active',
  ])
})

test('columns are aligned where characters take two places of a terminal', () => {
  const rows = [
    ['NAME', 'STATUS'],
    ['日本 🎉', 'active'],
  ]
  expect(table(rows).split('\n')).toEqual(['NAME     STATUS', '日本 🎉  active'])
})

test('a line keeps colours of its own only', () => {
  expect(joinLine(['a\n\x1b[31mb', 'c '], '  ').text).toBe('a \ufffd[31mb  c')
})
