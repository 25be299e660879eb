import type { DeliverWebhookInput } from '../../../workflows/deliver-webhook'
import type { Sql } from '../../db/connect'
import { type Job, LEASE_S, type Outbox } from '../../outbox/outbox'
import { startWorkflow } from '../../outbox/workflow-start'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import type { EventType } from '../events/types'
import { failDelivery, RECONCILE_AFTER_MS, reconcileAt } from './store'

/** What the start of a workflow needs. */
export type DueDelivery = Job & {
  accountId: string
  webhookId: string
  eventType: EventType
  /** Of the receiver; never shown whole, for it may carry tokens. */
  url: string
}

/** Deliveries that are due to be handed to Temporal (docs/architecture.md, "From a commit to the receiver"). */
export const deliveryOutbox: Outbox<DueDelivery> = {
  table: 'deliveries',
  due: 'due_at',
  delayMs: 0,
  workflowId: deliveryWorkflowId,
  claim: (sql, limit) => claimDue(sql, limit),
  handOver: (deps, { id, run, accountId, webhookId, eventType, url }) => {
    const { host } = new URL(url)
    return startWorkflow<DeliverWebhookInput>(deps, {
      type: 'deliverWebhook',
      workflowId: deliveryWorkflowId(id, run),
      arg: { deliveryId: id, run, eventType, webhookId, host },
      summary: `${eventType} to ${host}`,
      attributes: { ArdenAccount: accountId, ArdenWebhook: webhookId, ArdenEvent: eventType },
    })
  },
  // Once a first attempt should long be recorded.
  checkAt: sql => reconcileAt(sql, sql`greatest(d.next_attempt_at, clock_timestamp())`),
  isOpen: sql => sql`d.status = 'RETRYING'`,
  stopped: (sql, { id, run }) =>
    failDelivery(sql, { deliveryId: id, run, reason: 'stopped in Temporal' }),
}

/**
 * Deliveries whose first attempt was made without a workflow and failed: the workflow makes what is left.
 * As retries in Temporal, they wait for no turn.
 */
export const retryOutbox: Outbox<DueDelivery> = {
  ...deliveryOutbox,
  due: 'workflow_due_at',
  delayMs: 50,
  claim: (sql, limit) => sql<DueDelivery[]>`
    WITH due AS MATERIALIZED (
      SELECT id FROM deliveries WHERE workflow_due_at <= clock_timestamp()
      ORDER BY workflow_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE deliveries d SET workflow_due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
    FROM due, webhooks w
    WHERE d.id = due.id AND w.id = d.webhook_id
    RETURNING d.id, d.run, d.account_id AS "accountId", w.id AS "webhookId",
      d.event_type AS "eventType", w.url`,
}

/**
 * The next in turn, each webhook's as far as it has room (docs/architecture.md, "Tenant isolation"). None of a paused
 * webhook. A function of the database, for its turn is taken by a lock, and what it finds then must be read
 * by a later statement.
 */
const claimDue = (sql: Sql, limit: number): Promise<DueDelivery[]> => sql<DueDelivery[]>`
  SELECT id, run, account_id AS "accountId", webhook_id AS "webhookId", event_type AS "eventType", url
  FROM claim_deliveries(${limit}, make_interval(secs => ${LEASE_S}),
    make_interval(secs => ${RECONCILE_AFTER_MS / 1000}))`
