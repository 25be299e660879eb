/** What of JSON Schema the schemas of this API use. */
export type Schema = {
  type?: string
  examples?: unknown[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: { [member: string]: Schema }
  required?: string[]
  items?: Schema
  minimum?: number
}

/** What stands for a text that gives no example of its own; the tests find it. */
export const MISSING_EXAMPLE = 'no example'

/**
 * A value that fits `schema`, made from the `examples` of the schema itself and of the schemas in it: the
 * document's examples of bodies and answers all come from here.
 */
export const exampleOf = (schema: Schema): unknown => {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {})
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([member, inner]) => [member, exampleOf(inner)]),
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
