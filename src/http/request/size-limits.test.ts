import { describe, expect, test } from 'bun:test'
import { t } from 'elysia'
import { DomainError } from '../../errors'
import { MapOf, Nullable, OneOf, RequestBody } from '../schema'
import { checkSizes } from './size-limits'

const schema = RequestBody({
  name: t.String({ maxLength: 5 }),
  note: t.Optional(Nullable(t.String({ maxLength: 10 }))),
  kind: t.Optional(OneOf(['a', 'b'])),
  kinds: t.Optional(t.Array(OneOf(['a', 'b']), { maxItems: 2 })),
  tags: t.Optional(t.Array(t.String({ maxLength: 3 }), { maxItems: 2 })),
  labels: t.Optional(MapOf(t.String({ maxLength: 3 }), { maxProperties: 20 })),
})

const check = (body: unknown): string | undefined => {
  try {
    checkSizes(schema, body)
    return undefined
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return error.message
  }
}

describe('sizes of a request', () => {
  test.each([
    [{ name: 'abcde', note: null, kind: 'a', tags: ['abc', 'abc'] }, undefined],
    [{ name: 'abcdef' }, 'name: must have at most 5 characters'],
    [{ name: 'a', note: 'x'.repeat(11) }, 'note: must have at most 10 characters'],
    [{ name: 'a', kind: 'x'.repeat(201) }, 'kind: must have at most 200 characters'],
    [{ name: 'a', tags: ['a', 'b', 'c'] }, 'tags: must have at most 2 items'],
    [{ name: 'a', tags: ['a', 'abcd'] }, 'tags.1: must have at most 3 characters'],
    [
      { name: 'a', kinds: ['a', 'b', 'c'] },
      'kinds: must have at most 2 items, each one of "a", "b"',
    ],
    // Other errors are the validator's to report.
    [{ name: 5, other: 'x'.repeat(1000) }, undefined],
  ])('%j: %s', (body, message) => {
    expect(check(body)).toBe(message)
  })

  test('an object with more members than any schema has is refused at once', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]))
    expect(check(many)).toBe('body: must have at most 100 members')
    expect(check({ labels: many })).toBe('labels: must have at most 20 members')
  })

  test('the first value that is too large ends the check', () => {
    expect(check({ name: 'abcdef', note: 'x'.repeat(11) })).toBe(
      'name: must have at most 5 characters',
    )
  })
})
