/** The server's OpenAPI document, with each schema in place of the references to it. */
export const readDocument = async (url: string) => {
  // Tests read any part of it; a missing one fails their expectation.
  // biome-ignore lint/suspicious/noExplicitAny: a boundary
  const document: any = await (await fetch(`${url}/openapi.json`)).json()
  const { schemas } = document.components
  const inline = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inline)
    if (typeof node !== 'object' || node === null) return node
    const name = '$ref' in node && /^#\/components\/schemas\/(\w+)$/.exec(String(node.$ref))?.[1]
    if (name) return inline(schemas[name])
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inline(value)]))
  }
  return inline(document) as typeof document
}
