/** HTTP methods as metrics, spans and the request log name them. Constants only: the dashboard imports them. */
export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'other',
] as const
export type Method = (typeof METHODS)[number]

const isListed = (method: string): method is Method =>
  (METHODS as readonly string[]).includes(method)

/** Any method beyond these is `other`: clients choose methods, and labels must stay few. */
export const labelOf = (method: string): Method => (isListed(method) ? method : 'other')
