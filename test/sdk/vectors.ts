/** One signature of packages/sdk/vectors.json. */
export type Vector = {
  name: string
  /** Whether a receiver with `secrets` and `max_age_seconds` accepts it. */
  genuine: boolean
  /** Whether the body is an event then. */
  event: boolean
  secrets: string[]
  max_age_seconds: number | null
  headers: Record<string, string>
  /** In Base64. */
  body: string
}
