import { expect, test } from 'bun:test'
import { offlineProvider } from './offline'
import type { Task } from './provider'

const write = async (changes: Partial<Task> = {}) => {
  const task: Task = {
    seed: 'gen_1',
    step: 'section',
    heading: null,
    keyword: 'cold brew coffee',
    instructions: null,
    project: { name: 'Acme blog', domain: 'blog.acme.com', language: 'en' },
    ...changes,
  }
  const { signal } = new AbortController()
  return (await offlineProvider.complete({ prompt: '', task, signal })).text
}
const outline = async (changes: Partial<Task> = {}) =>
  (await write({ step: 'outline', ...changes })).split('\n')

test('writes an outline, a text for each heading and a title, and says that it is an offline draft', async () => {
  const introduction = await write()
  expect(introduction).toStartWith('> **Offline draft.**')
  expect(introduction).toContain('blog.acme.com')
  const headings = await outline()
  expect(headings).toHaveLength(6)
  expect(headings.at(-1)).toBe('Conclusion')
  const texts = await Promise.all(headings.map(heading => write({ heading })))
  expect(new Set(texts).size).toBe(texts.length)
  const metadata = await write({ step: 'metadata' })
  expect(metadata.split('\n')[0]?.toLowerCase()).toMatch(/^title: .*cold brew coffee/)
})

test('writes a text for a heading of the brief', async () => {
  const text = await write({ heading: 'Which beans?' })
  expect(text).toContain('what this heading promises')
})

test('is deterministic for a seed, and differs between seeds', async () => {
  expect(await outline()).toEqual(await outline())
  const outlines = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => (await outline({ seed: `gen_${n}` })).join()),
  )
  expect(new Set(outlines).size).toBeGreaterThan(5)
})

test('contains the instructions, and a note for a language other than English', async () => {
  const text = await write({
    instructions: 'For beginners.\nShort.',
    project: { name: 'A\nB', domain: null, language: 'pt-BR' },
  })
  expect(text).toContain('> For beginners.\n> Short.')
  expect(text).toContain('pt-BR')
  expect(text).toContain('A B')
})
