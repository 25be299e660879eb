/** The part of JSON Schema that the schemas of this API use. */
export type Schema = {
  type?: string
  pattern?: string
  examples?: unknown[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: { [member: string]: Schema }
  required?: string[]
  items?: Schema
  minimum?: number
}

/** Marks a string without an example. A test fails where it occurs. */
export const MISSING_EXAMPLE = 'no example'

/**
 * A value that matches `schema`, from the `examples` of the schema and of its members, without members whose
 * `examples` are empty. All examples of bodies in the document come from here.
 */
export const exampleOf = (schema: Schema): unknown => {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {})
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([, { examples }]) => examples?.length !== 0)
        .map(([member, inner]) => [member, exampleOf(inner)]),
    )
  switch (schema.type) {
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : []
    case 'object':
      return {}
    case 'integer':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return MISSING_EXAMPLE
  }
}
