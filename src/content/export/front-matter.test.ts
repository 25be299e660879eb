import { expect, test } from 'bun:test'
import { parse } from 'yaml'
import { fc } from '../../../test/support/property'
import { fromMarkdown, toMarkdown } from './front-matter'
import type { ExportedArticle } from './store'

const article: ExportedArticle = {
  id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
  title: 'Cold brew: "how"?',
  slug: 'cold-brew',
  status: 'DRAFT',
  language: 'no',
  keyword: 'cold brew',
  tags: ['q3', '2026-01-31'],
  body: '# Cold brew\r\n---\n',
  meta_title: null,
  meta_description: 'yes',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  published_at: null,
}

test('the front matter has the members of the article, and the body is unchanged', () => {
  expect(toMarkdown(article)).toBe(`---
id: "art_01kafz3v5tf4qrm8z3x9d2c7ne"
title: "Cold brew: \\"how\\"?"
slug: "cold-brew"
status: "DRAFT"
language: "no"
keyword: "cold brew"
tags: ["q3", "2026-01-31"]
meta_description: "yes"
created_at: "2026-01-31T12:00:00.000Z"
updated_at: "2026-01-31T12:00:00.000Z"
---

# Cold brew\r\n---\n`)
})

const HOSTILE = [
  '---\n',
  '\n...\n',
  '"',
  '\\',
  ': ',
  ' #',
  '!!js/function',
  '&a *a',
  '{{',
  '\t',
  '\r',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\uffff',
  '\u007f',
  '\u0001',
  '😀',
  'null',
  '012',
]
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...HOSTILE)).map(parts => parts.join('')),
)

test('parsers of YAML 1.1 and 1.2 read exactly the original texts', () => {
  fc.assert(
    fc.property(text, text, fc.array(text, { minLength: 1 }), (title, keyword, tags) => {
      const markdown = toMarkdown({ ...article, title, keyword, tags, meta_title: title })
      const [, yaml = ''] = /^---\n(.*?)---\n\n/s.exec(markdown) ?? []
      // One line for each member: whatever a text contains, it does not end the front matter.
      expect(yaml.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(12)
      const expected = { title, keyword, tags, meta_title: title, language: 'no' }
      for (const read of [
        () => parse(yaml, { version: '1.1' }),
        () => parse(yaml, { version: '1.2' }),
        () => Bun.YAML.parse(yaml),
      ])
        expect(read()).toMatchObject(expected)
    }),
    { numRuns: 300 },
  )
})

test('the body of a file is read back as it was', () => {
  fc.assert(
    fc.property(text, text, (title, body) => {
      expect(fromMarkdown(toMarkdown({ ...article, title, body }))).toEqual({
        id: article.id,
        body,
      })
      // Text that begins like front matter, and is none of an export.
      expect(fromMarkdown(`---\ntitle: "a"\n---\n\n${body}`)).toBeUndefined()
    }),
  )
})

test.each([
  ['other quotes', (text: string) => text.replaceAll('"', "'")],
  [
    'no quotes, and no line between',
    (text: string) => text.replaceAll('"', '').replace('---\n\n', '---\n'),
  ],
  [
    'a list over several lines',
    (text: string) => text.replace('["q3", "2026-01-31"]', '\n  - q3\n  - b'),
  ],
  [
    'spaces at the end of lines',
    (text: string) => text.replaceAll('---\n', '---  \n').replace('ne"\n', 'ne" \n'),
  ],
  ['other line ends', (text: string) => text.replaceAll('\n', '\r\n')],
])('it is read with %s', (_, change) => {
  const body = 'Grind.'
  expect(fromMarkdown(change(toMarkdown({ ...article, body })))).toEqual({ id: article.id, body })
})

test('an empty body is read, also without a line break at its end', () => {
  const file = toMarkdown({ ...article, body: '' })
  for (const text of [file, file.trimEnd()])
    expect(fromMarkdown(text)).toEqual({ id: article.id, body: '' })
})
