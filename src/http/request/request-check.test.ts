import { expect, test } from 'bun:test'
import { t } from 'elysia'
import { createRequestCheck } from './request-check'

const check = createRequestCheck(() => [
  {
    method: 'GET',
    path: '/articles',
    hooks: { query: t.Object({ text: t.String({ maxLength: 5 }) }) },
  },
])
const checkQuery = (method: string, text: string) => () =>
  check({
    request: new Request('http://localhost/articles', { method }),
    route: '/articles',
    body: undefined,
    query: { text },
  })

test.each(['GET', 'HEAD'])('checks the sizes of the query of %s', method => {
  expect(checkQuery(method, 'abcdef')).toThrow('text: must have at most 5 characters')
  expect(checkQuery(method, 'abcde')).not.toThrow()
})
