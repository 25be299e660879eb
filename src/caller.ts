/** Live and test records never meet (contract 3.3). */
export type Mode = 'live' | 'test'
export type Scope = 'read' | 'write'

/** Whose records a call may see: every query on content, webhooks and events carries both. */
export type Tenant = { accountId: string; mode: Mode }

/** Who did something, for the audit history (contract 3.11). */
export type Actor =
  | { type: 'key'; id: string; name: string }
  | { type: 'user'; id: string; name: string }
  | { type: 'cli'; id: string; name: string }
  /** What Arden does by itself. */
  | { type: 'system'; id: 'arden'; name: 'Arden' }

/** An authenticated request: its tenant, who makes it, and where it came from. */
export type Caller = Tenant & {
  /** The API key; in the dashboard the person, who then chooses the mode with each request. */
  actor: Extract<Actor, { type: 'key' | 'user' }>
  scopes: Scope[]
  /** The peer's address, or the forwarded one behind a trusted proxy. */
  address: string
}
