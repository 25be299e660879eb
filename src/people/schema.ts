import { t } from 'elysia'
import { Body, Changes, Id, Nullable, type Of, OneOf, Timestamp } from '../http/schema'

export const ROLES = ['owner', 'member', 'viewer'] as const
/** An owner also manages people; a viewer only reads. */
export type Role = (typeof ROLES)[number]

export const Person = t.Object({
  id: Id('usr'),
  email: t.String({ examples: ['ada@example.com'] }),
  role: OneOf(ROLES),
  status: OneOf(['invited', 'active', 'disabled'], {
    description: '`invited` until a password was chosen.',
  }),
  last_seen_at: Nullable(Timestamp),
  created_at: Timestamp,
})
export type Person = Of<typeof Person>

export const Invitation = Body({
  email: t.Optional(t.String({ maxLength: 254, examples: ['ada@example.com'] })),
  role: OneOf(ROLES),
})
export type Invitation = Of<typeof Invitation>

/** The body of a change of someone. */
export const PersonChanges = Changes({ role: OneOf(ROLES), disabled: t.Boolean() })
export type PersonChanges = Of<typeof PersonChanges>
