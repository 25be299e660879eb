import type { AuditAction, AuditArea } from '../../../accounts/audit'
import type { Actor } from '../../../caller'

/** The texts of the audit history. A new action does not compile until it has one. */
export const ACTION_LABELS: { [action in AuditAction]: string } = {
  'api_key.created': 'Created the API key',
  'api_key.updated': 'Updated the API key',
  'api_key.regenerated': 'Regenerated the API key',
  'api_key.revoked': 'Revoked the API key',
  'webhook.created': 'Created the webhook',
  'webhook.updated': 'Updated the webhook',
  'webhook.secret_rotated': 'Rotated the secret of the webhook',
  'webhook.deleted': 'Deleted the webhook',
  'webhook.paused': 'Paused the webhook',
  'webhook.resumed': 'Resumed the webhook',
  'webhook.disabled': 'Disabled the webhook',
  'deliveries.paused': 'Paused all deliveries',
  'deliveries.resumed': 'Resumed all deliveries',
  'deliveries.redelivered': 'Redelivered',
  'project.deleted': 'Deleted the project',
  'article.published': 'Published the article',
  'article.unpublished': 'Unpublished the article',
  'article.scheduled': 'Scheduled the article',
  'article.unscheduled': 'Cancelled the schedule of the article',
  'article.deleted': 'Deleted the article',
  'generation.retried': 'Retried the generation',
  'account.created': 'Created the account',
  'account.required_sign_in_changed': 'Changed the required sign-in of the account',
  'account.plan_changed': 'Changed the plan of the account',
  'person.invited': 'Created a link for a new password of',
  'person.joined': 'Joined the account',
  'person.link_revoked': 'Revoked a sign-in link for',
  'person.password_reset_requested': 'Created a link, on request, for a new password of',
  'person.identity_linked': 'Linked a sign-in provider to',
  'person.passkey_added': 'Added a passkey of',
  'person.passkey_removed': 'Removed a passkey of',
  'person.sign_in_reset': 'Reset the sign-in of',
  'person.role_changed': 'Changed the role of',
  'person.disabled': 'Disabled',
  'person.enabled': 'Enabled',
  'person.password_changed': 'Changed the password of',
  'person.signed_in': 'Signed in',
  'person.signed_out': 'Signed out',
  'person.signed_out_everywhere': 'Signed out everywhere',
  'person.session_ended': 'Ended a session',
}

export const AREA_LABELS: { [area in AuditArea]: string } = {
  api_key: 'API keys',
  webhook: 'Webhooks',
  deliveries: 'Deliveries',
  project: 'Projects',
  article: 'Articles',
  generation: 'Generations',
  person: 'Users',
  account: 'Account and plan',
}

export const ACTOR_LABELS: { [type in Actor['type']]: string } = {
  user: 'Users',
  key: 'API keys',
  cli: 'Command line',
  system: 'System',
}
