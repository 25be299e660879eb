import { expect, test } from 'bun:test'
import { parseDraft } from '../draft'
import { offlineProvider } from './offline'
import type { ArticleTask } from './provider'

const write = async (changes: Partial<ArticleTask> = {}) => {
  const task: ArticleTask = {
    seed: 'gen_1',
    keyword: 'cold brew coffee',
    instructions: null,
    project: { name: 'Acme blog', domain: 'blog.acme.com', language: 'en' },
    ...changes,
  }
  const { signal } = new AbortController()
  return (await offlineProvider.complete({ prompt: '', task, signal })).text
}

test('writes title, outline, headings and paragraphs, and says that it is an offline draft', async () => {
  const { title, body } = parseDraft(await write(), 'x')
  expect(title.toLowerCase()).toContain('cold brew coffee')
  expect(body).toStartWith('> **Offline draft.**')
  const headings = body.split('\n').filter(line => line.startsWith('## '))
  expect(headings.length).toBe(7)
  expect(headings[0]).toBe('## Outline')
  const outline = body.split('\n').filter(line => /^\d\. /.test(line))
  expect(outline.map(line => `## ${line.slice(3)}`)).toEqual(headings.slice(1, -1))
  expect(body).toContain('blog.acme.com')
})

test('is deterministic for a seed, and differs between seeds', async () => {
  expect(await write()).toBe(await write())
  const articles = await Promise.all(
    Array.from({ length: 20 }, (_, n) => write({ seed: `gen_${n}` })),
  )
  expect(new Set(articles).size).toBeGreaterThan(10)
})

test('contains the instructions, and a note for a language other than English', async () => {
  const body = await write({
    instructions: 'For beginners.\nShort.',
    project: { name: 'A\nB', domain: null, language: 'pt-BR' },
  })
  expect(body).toContain('> For beginners.\n> Short.')
  expect(body).toContain('pt-BR')
  expect(body).toContain('A B')
})
