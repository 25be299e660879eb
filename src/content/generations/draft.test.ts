import { describe, expect, test } from 'bun:test'
import { parseDraft } from './draft'
import { ProviderError } from './providers/provider'

describe('splits a response into title and body', () => {
  test.each([
    ['# Title\n\nBody', 'Title', 'Body'],
    ['  \n# **Title** ##\r\n\r\nBody\r\n', 'Title', 'Body'],
    ['```markdown\n# Title\n\nBody\n```', 'Title', 'Body'],
    ['## Title\nBody\n## Next\nMore', 'Title', 'Body\n## Next\nMore'],
    ['Just text', 'the keyword', 'Just text'],
    ['# T\0itle\nBo\0dy', 'T\uFFFDitle', 'Bo\uFFFDdy'],
    ['# C#\n```c\n# not a heading\n```', 'C#', '```c\n# not a heading\n```'],
    [`# ${'x'.repeat(400)}\nBody`, 'x'.repeat(300), 'Body'],
  ])('%j', (response, title, body) => {
    expect(parseDraft(response, 'the keyword')).toEqual({ title, body })
  })

  test.each(['', ' \n', '# Title alone'])('%j is provider_incomplete', response => {
    expect(() => parseDraft(response, 'k')).toThrow(ProviderError)
  })
})
