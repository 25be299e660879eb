import { t } from 'elysia'
import { Id, Nullable, OneOf, PatchBody, RequestBody, Timestamp, type TypeOf } from '../http/schema'

export const ROLES = ['owner', 'member', 'viewer'] as const
/** Owners also manage people, viewers can only read. */
export type Role = (typeof ROLES)[number]

/** An invitation and a reset require a new password, the link of `dev` does not. */
const LINK_PURPOSES = ['invitation', 'reset', 'dev'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

/** How a session began. */
export type SignInMethod = 'password' | 'link' | 'oidc' | 'passkey'

/** What an account can require (contract 3.24). */
export const REQUIRED_SIGN_INS = ['oidc', 'passkey'] as const
export type RequiredSignIn = (typeof REQUIRED_SIGN_INS)[number]

export const Person = t.Object({
  id: Id('usr'),
  email: t.String({ examples: ['ada@example.com'] }),
  role: OneOf(ROLES),
  status: OneOf(['invited', 'active', 'disabled'], {
    description: '`invited` until the first sign-in.',
  }),
  /** The last request, exact to the minute. */
  last_seen_at: Nullable(Timestamp),
  created_at: Timestamp,
})
export type Person = TypeOf<typeof Person>

export const Invitation = RequestBody({
  email: t.Optional(t.String({ maxLength: 254, examples: ['ada@example.com'] })),
  role: OneOf(ROLES),
})
export type Invitation = TypeOf<typeof Invitation>

/** The body of a PATCH of a person. */
export const PersonChanges = PatchBody({ role: OneOf(ROLES), disabled: t.Boolean() })
export type PersonChanges = TypeOf<typeof PersonChanges>

/** A sign-in link that was neither used nor has expired. Its URL is shown once, when it is created. */
export const PendingLink = t.Object({
  id: Id('lnk'),
  /** Null when the person who opens the link enters an email address. */
  email: Nullable(t.String({ examples: ['ada@example.com'] })),
  role: OneOf(ROLES),
  purpose: OneOf(LINK_PURPOSES),
  /** Why its email was not sent at the last try; null when it was, and where none is sent. */
  email_error: Nullable(t.String({ examples: ['The mail server refuses the address.'] })),
  /** The email address of an owner, or the OS user of the command line. */
  created_by: t.String({ examples: ['ada@example.com'] }),
  expires_at: Timestamp,
  created_at: Timestamp,
})
export type PendingLink = TypeOf<typeof PendingLink>

/** A session as its person sees it in the settings. */
export const SessionRecord = t.Object({
  id: Id('ses'),
  address: t.String({ examples: ['203.0.113.7'] }),
  user_agent: Nullable(t.String()),
  current: t.Boolean(),
  seen_at: Timestamp,
  created_at: Timestamp,
})
export type SessionRecord = TypeOf<typeof SessionRecord>
