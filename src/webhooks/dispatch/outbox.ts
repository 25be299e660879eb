import type { DeliverWebhookInput } from '../../../workflows/deliver-webhook'
import { DEFAULT_IN_FLIGHT } from '../../config'
import type { Sql } from '../../db/connect'
import { type Job, LEASE_S, type Outbox } from '../../outbox/outbox'
import { startWorkflow } from '../../outbox/workflow-start'
import { workerAliveFor } from '../../temporal/heartbeat'
import { deliveryWorkflowId } from '../deliveries/workflow-id'
import type { EventType } from '../events/types'
import { failDelivery, RECONCILE_AFTER_MS, reconcileAt } from './store'

/** A due delivery, with what its workflow starts with. */
export type DueDelivery = Job & {
  accountId: string
  webhookId: string
  eventType: EventType
  /** Only the host is shown: a URL can contain tokens (contract 5.18). */
  url: string
}

/** Due deliveries, each for a workflow of its own (docs/architecture.md, "From a commit to the receiver"). */
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
  checkAt: sql => reconcileAt(sql, sql`greatest(d.next_attempt_at, clock_timestamp())`),
  isOpen: sql => sql`d.status = 'RETRYING'`,
  stopped: (sql, { id, run }) =>
    failDelivery(sql, { deliveryId: id, run, reason: 'stopped in Temporal' }),
}

/**
 * Deliveries whose first attempt failed without a workflow: the workflow makes the remaining attempts. Like retries
 * in Temporal, they do not count towards the limits of tenant isolation.
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
 * Claims due deliveries, as many of each webhook as tenant isolation permits (docs/architecture.md, "Tenant
 * isolation"), and none of a paused one. An SQL function: it takes a lock first and reads in a later statement.
 */
const claimDue = (sql: Sql, limit: number): Promise<DueDelivery[]> => sql<DueDelivery[]>`
  SELECT id, run, account_id AS "accountId", webhook_id AS "webhookId", event_type AS "eventType", url
  FROM claim_deliveries(${limit}, make_interval(secs => ${LEASE_S}),
    make_interval(secs => ${RECONCILE_AFTER_MS / 1000}), ${workerAliveFor(sql)}, ${DEFAULT_IN_FLIGHT}::int)`
