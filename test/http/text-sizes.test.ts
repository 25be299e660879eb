import { expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { useArden } from '../support/arden'
import { listRoutes } from '../support/http/routes'

const arden = await useArden({ serve: true })

test('every text of every request body and query has a maximum length', async () => {
  const unlimited: string[] = []
  let texts = 0
  const visit = (schema: TSchema, path: string): void => {
    if (schema.type === 'string' && schema.const === undefined) {
      texts++
      if (schema.maxLength === undefined && schema.format !== 'integer') unlimited.push(path)
    }
    for (const [index, variant] of (schema.anyOf ?? []).entries())
      visit(variant, `${path}|${index}`)
    if (schema.items !== undefined) {
      if (schema.maxItems === undefined) unlimited.push(`${path}[]`)
      visit(schema.items, `${path}[]`)
    }
    for (const [member, inner] of Object.entries<TSchema>(schema.properties ?? {}))
      visit(inner, `${path}.${member}`)
  }
  for (const { method, path, hooks } of listRoutes(arden.sql))
    for (const part of ['body', 'query'] as const) {
      const schema: unknown = hooks[part]
      if (typeof schema === 'object' && schema !== null)
        visit(schema as TSchema, `${method} ${path} ${part}`)
    }
  expect(texts).toBeGreaterThan(100)
  expect(unlimited).toEqual([])
})

test('combining marks in a keyword, which are slow to normalise, are refused by their number alone', async () => {
  const client = await arden.client()
  const project = (await client.post('/projects', { name: 'Blog' })).body.data
  // NFC of this text took minutes.
  const keyword = '\u0315\u0300'.repeat(170_000)
  const began = performance.now()
  const response = await client.post(`/projects/${project.id}/keywords`, { keyword })
  expect([response.status, response.body.message]).toEqual([
    422,
    'keyword: must have at most 1000 characters',
  ])
  const kw = (await client.post(`/projects/${project.id}/keywords`, { keyword: 'coffee' })).body
    .data
  expect((await client.patch(`/keywords/${kw.id}`, { keyword })).status).toBe(422)
  // Far from the minutes, and far from a slow machine's share of them.
  expect(performance.now() - began).toBeLessThan(20_000)
})
