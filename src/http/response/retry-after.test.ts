import { expect, test } from 'bun:test'
import { readRetryAfterMs } from './retry-after'

const read = (headers: Record<string, string>) => readRetryAfterMs(new Headers(headers))

test('reads seconds, a date or ms, and waits 5 minutes at most', () => {
  expect(read({ 'retry-after': '7' })).toBe(7_000)
  expect(read({ 'retry-after': '0.5' })).toBe(500)
  expect(read({ 'retry-after': '7', 'retry-after-ms': '39.5' })).toBe(40)
  const soon = read({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
  expect(soon).toBeWithin(50_000, 60_001)
  expect(read({ 'retry-after': new Date(0).toUTCString() })).toBe(0)
  for (const long of [
    { 'retry-after': '99999' },
    { 'retry-after': '9'.repeat(400) },
    { 'retry-after': 'Fri, 31 Dec 2999 23:59:59 GMT' },
    { 'retry-after-ms': '1e300' },
  ])
    expect([long, read(long)]).toEqual([long, 300_000])
})

test('is undefined without the header, or with something else in it', () => {
  expect(readRetryAfterMs(undefined)).toBeUndefined()
  for (const text of ['', 'soon', '-1x', 'Infinity'])
    expect([text, read({ 'retry-after': text })]).toEqual([text, undefined])
})
