import { t } from 'elysia'
import { Id, NonBlank, Nullable, RequestBody, Timestamp, type TypeOf } from '../../http/schema'

/** Characters of what a browser responds with, in base64url; the largest is an attestation. */
const ID_MAX = 1_500
const DATA_MAX = 20_000
const TRANSPORTS_MAX = 10

const Base64Url = (maxLength: number) => t.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' })

const Name = NonBlank({ maxLength: 100, examples: ['MacBook'] })

/** A new passkey, as the browser responds to `navigator.credentials.create`. */
export const Registration = RequestBody({
  name: Name,
  id: Base64Url(ID_MAX),
  client_data: Base64Url(DATA_MAX),
  attestation: Base64Url(DATA_MAX),
  transports: t.Array(t.String({ maxLength: 30 }), { maxItems: TRANSPORTS_MAX }),
})
export type Registration = TypeOf<typeof Registration>

/** The use of a passkey, as the browser responds to `navigator.credentials.get`. */
export const Assertion = RequestBody({
  id: Base64Url(ID_MAX),
  client_data: Base64Url(DATA_MAX),
  authenticator_data: Base64Url(DATA_MAX),
  signature: Base64Url(DATA_MAX),
})
export type Assertion = TypeOf<typeof Assertion>

export const PasskeyName = RequestBody({ name: Name })

/** A passkey as its person sees it in the settings. */
export const Passkey = t.Object({
  id: Id('psk'),
  name: t.String({ examples: ['MacBook'] }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
})
export type Passkey = TypeOf<typeof Passkey>
