/**
 * Functions of the database, with the views and triggers that belong to them: one object per file, which states what it
 * does, its parameters, its result, its locks and its callers.
 *
 * SQL is a database function only where TypeScript cannot do the same:
 *  - it is several statements in one round trip, because a later one depends on a lock that an earlier one took: it
 *    reads what was committed until then, or changes the row that could be locked (admit, claim_deliveries,
 *    count_usage, read_queue, release_claimer, take_generation, record_attempts);
 *  - its plan must not depend on when a connection first planned it (`SET plan_cache_mode` and the others:
 *    load_deliveries, queued_deliveries, queued_webhooks);
 *  - a statement calls it for its rows, and it needs a setting of the transaction (count_person_request);
 *  - PostgreSQL itself calls it (triggers);
 *  - it defines once what several of them need (usage_month, key_status, webhook_states, deliveries_to_send,
 *    all_attempts).
 * All other SQL is in the TypeScript function that runs it. A number that TypeScript knows is a parameter here.
 *
 * `arden migrate` applies a file whose text has changed, after the numbered migrations. The processes of the version
 * before keep calling the functions during an upgrade, so a signature changes in one of two ways:
 *  - a new last parameter with a default. The result stays as it is.
 *  - another name. The old function is removed from here in the version after that.
 */
// Text imports, so that the compiled binary contains the files.
import admit from './admit.sql' with { type: 'text' }
import allAttempts from './all_attempts.sql' with { type: 'text' }
import auditIsAppendOnly from './audit_is_append_only.sql' with { type: 'text' }
import beginMonth from './begin_month.sql' with { type: 'text' }
import claimDeliveries from './claim_deliveries.sql' with { type: 'text' }
import countPersonRequest from './count_person_request.sql' with { type: 'text' }
import countUsage from './count_usage.sql' with { type: 'text' }
import deliveriesToSend from './deliveries_to_send.sql' with { type: 'text' }
import keyStatus from './key_status.sql' with { type: 'text' }
import loadDeliveries from './load_deliveries.sql' with { type: 'text' }
import queuedDeliveries from './queued_deliveries.sql' with { type: 'text' }
import queuedWebhooks from './queued_webhooks.sql' with { type: 'text' }
import readQueue from './read_queue.sql' with { type: 'text' }
import recordAttempts from './record_attempts.sql' with { type: 'text' }
import releaseClaimer from './release_claimer.sql' with { type: 'text' }
import takeGeneration from './take_generation.sql' with { type: 'text' }
import usageMonth from './usage_month.sql' with { type: 'text' }
import webhookStates from './webhook_states.sql' with { type: 'text' }

/** A function or a view, named like its file. */
export type DatabaseFunction = { name: string; text: string }

/**
 * Raised by each commit that changes a file of this folder. The database records it, so that `arden migrate` of an older
 * version recognizes functions newer than its own, and leaves them.
 */
export const GENERATION: number = 18

/** Each after those that it uses. */
export const functions: readonly DatabaseFunction[] = [
  ['audit_is_append_only', auditIsAppendOnly],
  ['usage_month', usageMonth],
  ['count_usage', countUsage],
  ['take_generation', takeGeneration],
  ['begin_month', beginMonth],
  ['count_person_request', countPersonRequest],
  ['key_status', keyStatus],
  ['admit', admit],
  ['webhook_states', webhookStates],
  ['deliveries_to_send', deliveriesToSend],
  ['load_deliveries', loadDeliveries],
  ['read_queue', readQueue],
  ['queued_webhooks', queuedWebhooks],
  ['queued_deliveries', queuedDeliveries],
  ['claim_deliveries', claimDeliveries],
  ['release_claimer', releaseClaimer],
  ['all_attempts', allAttempts],
  ['record_attempts', recordAttempts],
].map(([name, text]) => ({ name: String(name), text: String(text) }))
