import { expect, test } from 'bun:test'
import { ApiError } from '../../api/client'
import { placeErrors } from './placed-errors'

const formOf = (...names: string[]) =>
  ({
    querySelectorAll: () => names.map(field => ({ dataset: { field } })),
  }) as unknown as HTMLFormElement

const errorOf = (...details: ApiError['details']) =>
  new ApiError(422, 'VALIDATION_ERROR', 'The request is not valid.', null, details)

test('places the error of a part of the record at its field, and the others in the rest', () => {
  const error = errorOf(
    { path: 'brief.length', message: 'must be at least 100' },
    { path: 'other_limit', message: 'must be at most 3' },
  )
  expect(placeErrors(error, formOf('name', 'length'))).toEqual({
    fields: { length: 'Must be at least 100.' },
    rest: new Error('Other limit must be at most 3.'),
  })
})

test('leaves out that a member may be null, which a user cannot type', () => {
  const error = errorOf(
    { path: 'brief.length', message: 'must be a whole number from 100 to 10000 or null' },
    { path: 'url', message: 'must be an http or https URL, or null' },
  )
  expect(placeErrors(error, formOf('length', 'url')).fields).toEqual({
    length: 'Must be a whole number from 100 to 10000.',
    url: 'Must be an http or https URL.',
  })
})
