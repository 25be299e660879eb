import { describe, expect, test } from 'bun:test'
import { ProviderError } from '../providers/provider'
import { parseMetadata, parseOutline, parseSection } from './parse'

describe('reads an outline', () => {
  test.each([
    ['One\nTwo', ['One', 'Two']],
    ['1. One\n2) Two\n\n- Three', ['One', 'Two', 'Three']],
    ['## One\r\n## **Two** ##\r\n', ['One', 'Two']],
    ['```markdown\n- One\n- One\n```', ['One']],
    ['2024 in review\nC#', ['2024 in review', 'C#']],
    ['O\0ne', ['O\uFFFDne']],
    ['x'.repeat(300), ['x'.repeat(200)]],
  ])('%j', (response, outline) => {
    expect(parseOutline(response)).toEqual(outline)
  })

  test('with at most thirty headings', () => {
    const lines = Array.from({ length: 50 }, (_, n) => `Heading ${n}`)
    expect(parseOutline(lines.join('\n'))).toEqual(lines.slice(0, 30))
  })
})

describe('reads a section', () => {
  test.each([
    ['  Text.\n\nMore.  ', 'Text.\n\nMore.'],
    ['## Its heading\n\nText.', 'Text.'],
    ['```markdown\nText.\n```', 'Text.'],
    ['Text.\n\n# Inner\n\nMore.', 'Text.\n\n### Inner\n\nMore.'],
    ['```c\n# not a heading\n```\nText', '```c\n# not a heading\n```\nText'],
    ['Bo\0dy', 'Bo\uFFFDdy'],
    ['Mix:\n\n```\n# 2 dl', 'Mix:\n\n```\n# 2 dl\n```'],
    ['~~~~md\n~~~\n# a', '~~~~md\n~~~\n# a\n~~~~'],
    ['```\na\n```js\nb\n````\n# c', '```\na\n```js\nb\n````\n### c'],
    ['```a``` is code\n\n# b', '```a``` is code\n\n### b'],
    ['1. ```sh\n   npm i\n   ```\n2. Done', '1. ```sh\n   npm i\n   ```\n2. Done'],
    ['- Run:\n\n  ```\n  npm i', '- Run:\n\n  ```\n  npm i'],
    ['- a\n  ```\n  b\n\nText\n\n# c', '- a\n  ```\n  b\n\nText\n\n### c'],
    ['> ```\n> a', '> ```\n> a'],
    ['Text\n\n    ```\n    a', 'Text\n\n    ```\n    a'],
    ['```yaml\nkey: |\n  a\n    ```', '```yaml\nkey: |\n  a\n    ```\n```'],
    ['```\na\n```\t\nText', '```\na\n```\t\nText'],
    ['~~~\na\n~~~\t\n# b', '~~~\na\n~~~\t\n### b'],
    ['<div>\n# a\n</div>', '<div>\n### a\n</div>'],
    ['<details>\n```sh\nnpm i', '<details>\n```sh\nnpm i\n```'],
    ['<!-- note\n\n# b', '<!-- note\n\n### b'],
    ['>'.repeat(10_000), '>'.repeat(10_000)],
    ['Text\n\nInner\n=====\n\nMore.', 'Text\n\n### Inner\n\n\nMore.'],
    ['Text\n\nInner\n-----\nMore.', 'Text\n\n### Inner\n\nMore.'],
    ['Text\n\n---\n\nMore.', 'Text\n\n---\n\nMore.'],
    ['¿Qué?\n---\n„Das“\n---\n\n`x`\n===\n---', '### ¿Qué?\n\n### „Das“\n\n\n### `x`\n\n---'],
    ['a\n===\nb\n===\nc\n\n---\nd\n---\ne', '### a\n\n### b\n\nc\n\n---\n### d\n\ne'],
    [
      '```\na\n```\nb\n---\n\n### c\nd\n---\n1.\n---',
      '```\na\n```\n### b\n\n\n### c\n### d\n\n1.\n---',
    ],
    ['- a\n  b\n---\n\n- c\n\n  d\n---', '- a\n  b\n---\n\n- c\n\n  d\n---'],
    ['1. a\nb\n---\n\n1. c\n---\n\n***\n---', '1. a\nb\n---\n\n1. c\n---\n\n***\n---'],
    ['a | b\n--|--\n1 | 2\n---\n\n[a]: /b\n---', 'a | b\n--|--\n1 | 2\n---\n\n[a]: /b\n---'],
    ['a\nb\n---\n\n> c\n---\n\n```\nd\n```\n---', 'a\nb\n---\n\n> c\n---\n\n```\nd\n```\n---'],
    ['|a|b|\n|--|--|\n|1|2|', '|a|b|\n|--|--|\n|1|2|'],
    ['Text\n\n  # Inner\n\n#\n\nMore.', 'Text\n\n  ### Inner\n\n###\n\nMore.'],
    ['Text\n\n\t```\n\n# b', 'Text\n\n\t```\n\n### b'],
    ['  a\n\n  ```sh\n# b\nc\n  ```\n# d', 'a\n\n  ```sh\n# b\nc\n  ```\n### d'],
    ['```yaml\nkey: |\n    ```\n# b\n```', '```yaml\nkey: |\n    ```\n# b\n```'],
    ['1. a\n   - ```\n     # b\n     ```\n\n# c', '1. a\n   - ```\n     # b\n     ```\n\n### c'],
  ])('%j', (response, text) => {
    expect(parseSection(response)).toBe(text)
    const html = Bun.markdown.html(`${text}\n\n## Next section`, { noHtmlBlocks: true })
    expect(html).toContain('<h2>Next section</h2>')
  })
})

test.each(['', ' \n', '```\n\n```'])('%j is provider_incomplete', response => {
  expect(() => parseOutline(response)).toThrow(ProviderError)
  expect(() => parseSection(response)).toThrow(ProviderError)
})

describe('reads title, slug and meta tags', () => {
  const about = {
    keyword: 'cold brew',
    introduction: '**Cold** brew needs [no heat](https://a.b).',
    language: 'en',
  }

  test('from labelled lines, with marks and in any order', () => {
    const response =
      '**Meta description:** What to do.\n- Title: "Cold brew"\nslug: /Cold Brew!\nMeta title: Cold'
    expect(parseMetadata(response, about)).toEqual({
      title: 'Cold brew',
      slug: 'cold-brew',
      meta_title: 'Cold',
      meta_description: 'What to do.',
    })
  })

  test('and makes what is missing from keyword and introduction', () => {
    expect(parseMetadata('I cannot.', about)).toEqual({
      title: 'cold brew',
      slug: 'cold-brew',
      meta_title: 'cold brew',
      meta_description: 'Cold brew needs no heat.',
    })
    const introduction = 'word '.repeat(100)
    expect(parseMetadata('', { ...about, introduction }).meta_description).toHaveLength(159)
  })

  test('with a slug as the language of the project writes it', () => {
    const metadata = parseMetadata('Title: Öl für Möbel', { ...about, language: 'de' })
    expect(metadata.slug).toBe('oel-fuer-moebel')
  })

  test('within the limits of an article', () => {
    const long = 'x'.repeat(2_000)
    const { title, slug, meta_title, meta_description } = parseMetadata(
      `Title: ${long}\nMeta title: ${long}\nMeta description: ${long}`,
      about,
    )
    expect([title, slug, meta_title, meta_description].map(text => text?.length)).toEqual([
      300, 80, 300, 1000,
    ])
  })
})
