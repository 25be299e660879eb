/** `@arden/sdk`: a typed client for Arden's REST API, and a verifier for its webhooks. */
export type { FilePath, Input, ListPath, PathOf, ResponseBody } from './calls.js'
export { type Arden, type ArdenOptions, createArden, type List } from './client.js'
export { ArdenError, type Detail, type ErrorCode } from './errors.js'
export type { EventType, WebhookEvent } from './events.js'
export type * from './records.js'
export { serverUrl } from './server-url.js'
export type { StreamedEvent, StreamGap, StreamOptions } from './stream.js'
export {
  type HeadersLike,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from './verify.js'
