/** Test records are separate from live records (contract 3.3). */
export type Mode = 'live' | 'test'
export type Scope = 'read' | 'write'

/** The account and mode of a call. Every query on content, webhooks and events filters by both. */
export type Tenant = { accountId: string; mode: Mode }

/** The author of an entry of the audit history (contract 3.11). */
export type Actor =
  | { type: 'key'; id: string; name: string }
  | { type: 'user'; id: string; name: string }
  | { type: 'cli'; id: string; name: string }
  /** Arden itself. */
  | { type: 'system'; id: 'arden'; name: 'Arden' }

/** The author of an authenticated request, with its tenant, scopes and address. */
export type Caller = Tenant & {
  /** The API key, or in the dashboard the user, whose requests name the mode. */
  actor: Extract<Actor, { type: 'key' | 'user' }>
  scopes: Scope[]
  /** The client's address: of the connection, or of X-Forwarded-For behind a trusted proxy. */
  address: string
}
