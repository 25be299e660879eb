import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { describeErrors } from './validation'

test('reads no more errors of a body than the response names', () => {
  let read = 0
  const errors = function* (): Generator<ValueError> {
    for (;;)
      yield {
        type: ValueErrorType.ObjectAdditionalProperties,
        path: `/${read++}`,
        schema: Type.Unknown(),
        value: 0,
        message: '',
        errors: [],
      }
  }
  expect(describeErrors(errors())).toHaveLength(100)
  expect(read).toBe(100)
})
