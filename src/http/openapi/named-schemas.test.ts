import { expect, test } from 'bun:test'
import { nameSchemas } from './named-schemas'

test('a schema with a title becomes a reference, once, wherever it is', () => {
  const article = { title: 'Article', type: 'object', properties: { title: { type: 'string' } } }
  const schemas = {}
  const named = nameSchemas(
    {
      content: { schema: { type: 'array', items: article }, example: [{ title: 'Article' }] },
      other: [{ schema: article }],
    },
    schemas,
  )
  const $ref = '#/components/schemas/Article'
  expect(named).toEqual({
    content: { schema: { type: 'array', items: { $ref } }, example: [{ title: 'Article' }] },
    other: [{ schema: { $ref } }],
  })
  expect(schemas).toEqual({
    Article: { type: 'object', properties: { title: { type: 'string' } } },
  })
})

test('a union of texts becomes an enum', () => {
  const schema = { anyOf: [{ const: 'a' }, { const: 'b' }], description: 'One of two.' }
  expect(nameSchemas({ schema }, {})).toEqual({
    schema: { type: 'string', enum: ['a', 'b'], description: 'One of two.' },
  })
})

test('refuses two different schemas with the same title', () => {
  const schemas = {}
  nameSchemas({ schema: { title: 'Article', type: 'object' } }, schemas)
  expect(() => nameSchemas({ schema: { title: 'Article', type: 'string' } }, schemas)).toThrow(
    'two schemas with the title Article',
  )
})
