import { Elysia, t } from 'elysia'
import type { Config } from '../../config'
import { invalid } from '../../errors'
import { type Change, madeBefore, withChanges } from '../../http/change'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { pageQuery, toListResponse, toPageRequest } from '../../http/request/paging'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { OneOf, Reference, RequestBody, Timestamp, type TypeOf } from '../../http/schema'
import {
  previewRedelivery,
  type RedeliveryCounts,
  type RedeliverySelection,
  redeliverSelected,
} from '../../webhooks/deliveries/bulk-redelivery'
import type { DeliveryFilter } from '../../webhooks/deliveries/filter'
import { isWorkflowStarted } from '../../webhooks/deliveries/row'
import {
  type Delivery,
  type DeliveryDetail,
  DeliveryStatus,
} from '../../webhooks/deliveries/schema'
import { findDelivery, listAllDeliveries } from '../../webhooks/deliveries/store'
import { loadWebhookSummaries, type WebhookSummary } from '../../webhooks/endpoints/summaries'
import { EventTypeName } from '../../webhooks/events/schema'
import type { Cipher } from '../../webhooks/signing/encryption'
import { withRole } from '../access/roles'
import { toDownload } from '../csv/download'
import { HOURS } from '../incidents/routes'
import { DASHBOARD_API } from '../paths'
import { DELIVERIES_HEAD, readDeliveryLines } from './csv'

/** A delivery in the list, with its webhook. */
export type DeliveryListItem = Delivery & { receiver: WebhookSummary | null }
/** One delivery, with the URL of its workflow in the Temporal UI. */
export type DeliveryPage = DeliveryDetail & {
  receiver: WebhookSummary | null
  workflow_url: string | null
}

const filterMembers = {
  status: t.Optional(DeliveryStatus),
  event: t.Optional(EventTypeName),
  webhook_id: t.Optional(Reference()),
  error: t.Optional(t.String({ maxLength: 1_000 })),
  id: t.Optional(Reference()),
  /** Instead of `created_after`. */
  hours: t.Optional(OneOf(HOURS)),
  created_after: t.Optional(Timestamp),
  created_before: t.Optional(Timestamp),
}
const Filter = t.Object(filterMembers)

const IDS_MAX = 1_000
const Selection = RequestBody({
  ids: t.Optional(t.Array(Reference(), { minItems: 1, maxItems: IDS_MAX })),
  filter: t.Optional(RequestBody(filterMembers)),
})

type Deps = {
  read: Read
  unread: UnreadLimit
  change: Change
  cipher: Cipher
  config: Pick<Config, 'temporalUiUrl' | 'temporalNamespace'>
}

/** Deliveries of all webhooks, deleted ones included: lists, filters, a CSV file and redelivery. */
export const deliverySearchRoutes = ({ read, unread, change, cipher, config }: Deps) =>
  new Elysia({ prefix: `${DASHBOARD_API}/deliveries`, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withRole)
    .get(
      '',
      async ({ caller, query }) => {
        const { reasons, receivers, ...page } = await read(caller, async sql => {
          const page = toPageRequest(query)
          const found = await listAllDeliveries(sql, caller, filterOf(query), page)
          const webhookIds = found.rows.map(({ webhook_id }) => webhook_id)
          return { ...found, receivers: await loadWebhookSummaries(sql, caller, webhookIds) }
        })
        const rows = page.rows.map(
          (row): DeliveryListItem => ({ ...row, receiver: receivers.get(row.webhook_id) ?? null }),
        )
        return { ...toListResponse({ ...page, rows }), reasons }
      },
      { role: 'viewer', query: t.Object({ ...pageQuery('dlv'), ...filterMembers }) },
    )
    .get(
      '/csv',
      ({ caller, query }) =>
        toDownload(caller, unread, {
          name: 'deliveries.csv',
          head: DELIVERIES_HEAD,
          nextLines: readDeliveryLines(read, caller, filterOf(query)),
        }),
      { role: 'viewer', query: Filter },
    )
    .get(
      '/:id',
      async ({ caller, params }): Promise<{ data: DeliveryPage }> => {
        const { delivery, receivers, hasWorkflow } = await read(caller, async sql => {
          const delivery = await findDelivery(sql, cipher, caller, params.id)
          const receivers = await loadWebhookSummaries(sql, caller, [delivery.webhook_id])
          return { delivery, receivers, hasWorkflow: await isWorkflowStarted(sql, delivery) }
        })
        // A link to a workflow that was not started would lead to an error of Temporal's UI.
        const workflow_id = hasWorkflow ? delivery.workflow_id : null
        return {
          data: {
            ...delivery,
            workflow_id,
            receiver: receivers.get(delivery.webhook_id) ?? null,
            workflow_url: workflowUrl(config, workflow_id),
          },
        }
      },
      { role: 'viewer' },
    )
    .get(
      '/redelivery',
      async ({ caller, query }) => ({
        data: await read(caller, sql => previewRedelivery(sql, caller, filterOf(query))),
      }),
      { role: 'viewer', query: Filter },
    )
    .post(
      '/redelivery',
      context => {
        const { caller, body } = context
        const selection = selectionOf(body)
        return change(context, 202, madeBefore<RedeliveryCounts>, {
          before: transact => redeliverSelected(transact, caller, selection),
        })
      },
      { role: 'member', changes: ['deliveries'], body: Selection },
    )

/** Computes `hours` here, because the browser's clock may be wrong. */
const filterOf = ({ hours, ...filter }: TypeOf<typeof Filter>): DeliveryFilter =>
  hours === undefined
    ? filter
    : { ...filter, created_after: new Date(Date.now() - Number(hours) * 3_600_000).toISOString() }

/** @throws {DomainError} VALIDATION_ERROR when neither ids nor a filter is given: it would redeliver all. */
const selectionOf = ({ ids, filter }: TypeOf<typeof Selection>): RedeliverySelection => {
  if (ids !== undefined) return { ids }
  if (filter === undefined) throw invalid('filter', 'is required unless ids is given')
  return filterOf(filter)
}

const workflowUrl = (
  { temporalUiUrl, temporalNamespace = 'default' }: Deps['config'],
  workflowId: string | null,
): string | null =>
  temporalUiUrl === undefined || workflowId === null
    ? null
    : `${temporalUiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows/${encodeURIComponent(workflowId)}`
