import { expect, test } from 'bun:test'
import { forwardUrl } from './forward'

test.each([
  ['4000', 'http://localhost:4000'],
  ['4000/hook', 'http://localhost:4000/hook'],
  ['localhost:4000/hook', 'http://localhost:4000/hook'],
  ['example.com', 'http://example.com'],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['https://localhost:4000/hook', 'https://localhost:4000/hook'],
])('%p is forwarded to %p', (target, url) => {
  expect(forwardUrl(target)).toBe(url)
})
