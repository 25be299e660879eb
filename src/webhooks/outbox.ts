import type { DeliverWebhook } from '../../workflows/deliver-webhook'
import type { Sql } from '../db/connect'
import { type Job, LEASE_S, type Outbox } from '../outbox/outbox'
import { startWorkflow } from '../outbox/start-workflow'
import { checkAfter, recordEnd } from './attempts'
import type { EventType } from './event-types'
import { workflowId } from './workflow-id'

/** What the start of a workflow needs. */
export type Due = Job & {
  accountId: string
  webhookId: string
  eventType: EventType
  /** Of the receiver; never shown whole, for it may carry tokens. */
  url: string
}

/** Deliveries that are due to be handed to Temporal (design, step 3). */
export const deliveryOutbox: Outbox<Due> = {
  table: 'deliveries',
  workflowId,
  claim: (sql, limit) => claimDue(sql, limit),
  handOver: (deps, { id, run, accountId, webhookId, eventType, url }) => {
    const { host } = new URL(url)
    return startWorkflow<DeliverWebhook>(deps, {
      type: 'deliverWebhook',
      workflowId: workflowId(id, run),
      arg: { deliveryId: id, run, eventType, webhookId, host },
      summary: `${eventType} to ${host}`,
      attributes: { ArdenAccount: accountId, ArdenWebhook: webhookId, ArdenEvent: eventType },
    })
  },
  // Once a first attempt should long be recorded.
  checkAt: sql => checkAfter(sql, sql`greatest(d.next_attempt_at, clock_timestamp())`),
  isOpen: sql => sql`d.status = 'RETRYING'`,
  stopped: (sql, { id, run }) =>
    recordEnd(sql, { deliveryId: id, run, reason: 'stopped in Temporal' }),
}

const claimDue = (sql: Sql, limit: number): Promise<Due[]> => sql<Due[]>`
  WITH due AS MATERIALIZED (
    -- Here a cap per webhook will stand, so that a dead endpoint holds up nobody else.
    SELECT id FROM deliveries WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
  FROM due, webhooks w
  WHERE d.id = due.id AND w.id = d.webhook_id
  RETURNING d.id, d.run, d.account_id AS "accountId", d.webhook_id AS "webhookId",
    d.event_type AS "eventType", w.url`
