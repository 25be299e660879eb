import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { outlinePrompt } from '.'
import { parsePrompt } from './template'
import versions from './versions.json'

const FILE = `---
version: 7
---

# System

You are brief.

# Prompt

About {{keyword}}, twice: {{keyword}}.

Follow this:
{{instructions}}

The end.
`
const parse = (text = FILE) => parsePrompt('test', text, ['keyword', 'instructions'])

test('a prompt has the values of its placeholders, and its version', () => {
  expect(parse()({ keyword: 'tea', instructions: 'Be kind.\n\nAlways.' })).toEqual({
    system: 'You are brief.',
    prompt: 'About tea, twice: tea.\n\nFollow this:\nBe kind.\n\nAlways.\n\nThe end.',
    version: 'test@7',
  })
})

test.each([null, ''])('a paragraph whose value is %p is left out', instructions => {
  expect(parse()({ keyword: 'tea', instructions }).prompt).toBe(
    'About tea, twice: tea.\n\nThe end.',
  )
})

test('a value that looks like a placeholder or a pattern of replace() stays as it is', () => {
  const { prompt } = parse()({ keyword: '{{instructions}} $&', instructions: 'secret' })
  expect(prompt).toStartWith('About {{instructions}} $&, twice: {{instructions}} $&.')
})

test.each([
  ['without a version', FILE.replace('version: 7', ''), 'another form'],
  ['without a part', FILE.replace('# Prompt', '## Prompt'), 'another form'],
  ['with an unknown placeholder', `${FILE}{{tone}}`, '{{tone}}, which is none of keyword'],
])('a file %s is refused', (_, text, message) => {
  expect(() => parse(text)).toThrow(message)
})

test('each version of a prompt has one text', async () => {
  const files = [...new Bun.Glob('*.md').scanSync(import.meta.dir)].filter(
    file => file !== 'README.md',
  )
  expect(files.length).toBeGreaterThan(0)
  const known: Record<string, Record<string, string>> = versions
  for (const file of files) {
    const text = await Bun.file(`${import.meta.dir}/${file}`).text()
    const name = file.slice(0, -3)
    const version = /^version: (\d+)$/m.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(text).digest('hex')
    expect(
      known[name]?.[version],
      `A changed prompt needs a new version. versions.json, "${name}": "${version}": "${hash}"`,
    ).toBe(hash)
  }
})

test('the prompt of an outline names keyword, language and site, and leaves out what the brief does not say', () => {
  const { prompt, system, version } = outlinePrompt({
    keyword: 'brew',
    language: 'pt-BR',
    site: 'Acme (acme.com)',
    headings: '5 to 7',
    audience: null,
    style_guide: null,
    instructions: null,
  })
  expect(version).toBe('outline@1')
  expect(system).toStartWith('You plan articles for the web.')
  expect(prompt).toContain('search for: brew\n\nLanguage (BCP 47): pt-BR\n\nIt appears on: Acme')
  expect(prompt).toEndWith('Number of headings: 5 to 7')
})
