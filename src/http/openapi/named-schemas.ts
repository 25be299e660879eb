import type { Schema } from './example'

type Schemas = { [title: string]: unknown }

/**
 * `node`, a part of the document, with a reference to `components.schemas` in place of each schema that has a title.
 * The schemas are added to `schemas`, without their title.
 * @throws {Error} for two schemas with the same title.
 */
export const nameSchemas = (node: unknown, schemas: Schemas): unknown => {
  if (Array.isArray(node)) return node.map(one => nameSchemas(one, schemas))
  if (!isRecord(node)) return node
  return mapEntries(node, (key, value) => {
    if (key === 'example' || key === 'examples') return value
    return key === 'schema' ? toReference(value, schemas) : nameSchemas(value, schemas)
  })
}

const toReference = (schema: unknown, schemas: Schemas): unknown => {
  if (Array.isArray(schema)) return schema.map(one => toReference(one, schemas))
  if (!isRecord(schema)) return schema
  const { title, ...inner } = withEnum(
    mapEntries(schema, (keyword, value) => {
      if (keyword === 'examples' || keyword === 'enum') return value
      if (keyword !== 'properties') return toReference(value, schemas)
      // Members, one of which may have the name of a keyword.
      return mapEntries(value as Schemas, (_, member) => toReference(member, schemas))
    }),
  )
  if (typeof title !== 'string') return inner
  if (title in schemas && !Bun.deepEquals(schemas[title], inner))
    throw new Error(`The document has two schemas with the title ${title}. Rename one of them.`)
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

/** A union of texts as `enum`, which every generator of clients knows. */
const withEnum = (schema: Schema & { title?: unknown }): Schema & { title?: unknown } => {
  const { anyOf, ...others } = schema
  if (!anyOf?.every(one => typeof one.const === 'string')) return schema
  return { ...others, type: 'string', enum: anyOf.map(one => one.const) }
}

const isRecord = (value: unknown): value is Schemas => typeof value === 'object' && value !== null

const mapEntries = (
  record: Schemas,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))
