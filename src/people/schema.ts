import { t } from 'elysia'
import { Id, Nullable, OneOf, PatchBody, RequestBody, Timestamp, type TypeOf } from '../http/schema'

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
export type Person = TypeOf<typeof Person>

export const Invitation = RequestBody({
  email: t.Optional(t.String({ maxLength: 254, examples: ['ada@example.com'] })),
  role: OneOf(ROLES),
})
export type Invitation = TypeOf<typeof Invitation>

/** The body of a change of someone. */
export const PersonChanges = PatchBody({ role: OneOf(ROLES), disabled: t.Boolean() })
export type PersonChanges = TypeOf<typeof PersonChanges>
