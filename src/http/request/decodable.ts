/** Whether the percent-encoding of a path or a query is UTF-8: of other bytes the router would pass null to a route. */
export const isDecodable = (text: string): boolean => {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
