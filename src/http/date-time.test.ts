import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { Timestamp } from './schema'

test('accepts RFC 3339 date-times that exist and have a zone', () => {
  const right = [
    '2026-01-31T12:00:00.000Z',
    '2026-01-31T12:00:00Z',
    '2028-02-29T23:59:59.999999+05:30',
    // As the standard library of Python formats it.
    '2026-01-31T12:00:00.123456+0000',
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ]
  for (const text of right) expect([text, Value.Check(Timestamp, text)]).toEqual([text, true])
  const wrong = [
    '',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+15:00',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '1/31/2026',
    'Sat Jan 31 2026',
    '"2026-01-31T12:00:00Z"',
    '2026-01-31T12:00:00Z\n',
  ]
  for (const text of wrong) expect([text, Value.Check(Timestamp, text)]).toEqual([text, false])
})
