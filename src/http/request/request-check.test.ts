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

test('leaves the query of a route that has none alone, such as that of a page', () => {
  const get = (route: string, query: string) => () =>
    check({
      request: new Request(`http://localhost${route}?${query}`),
      route,
      body: undefined,
      query: {},
    })
  for (const query of ['text=100%', 'text=a&text=b']) {
    expect(get('/dashboard/*', query)).not.toThrow()
    expect(get('/articles', query)).toThrow('text: ')
  }
})

test.each(['GET', 'HEAD'])('checks the sizes of the query of %s', method => {
  expect(checkQuery(method, 'abcdef')).toThrow('text: must have at most 5 characters')
  expect(checkQuery(method, 'abcde')).not.toThrow()
})
