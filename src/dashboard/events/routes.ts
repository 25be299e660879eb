import { Elysia } from 'elysia'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { loadWebhookSummaries, type WebhookSummary } from '../../webhooks/endpoints/summaries'
import { type EventAbout, listEventsAbout } from '../../webhooks/event-log/about'
import type { EventDetail } from '../../webhooks/event-log/schema'
import { getEvent } from '../../webhooks/event-log/store'
import { withRole } from '../access/roles'
import type { DeliveryListItem } from '../deliveries/routes'
import { DASHBOARD_API } from '../paths'

/** An event, and the webhooks that it was or is sent to. */
export type EventPage = Omit<EventDetail, 'deliveries'> & { deliveries: DeliveryListItem[] }

/** An event about a record, with the webhook of each delivery. */
export type EventAboutRecord = Omit<EventAbout, 'deliveries'> & {
  deliveries: (EventAbout['deliveries'][number] & { receiver: WebhookSummary | null })[]
}

/** One event with its deliveries, and the events about a record. */
export const eventRoutes = ({ read }: { read: Read }) =>
  new Elysia({ prefix: `${DASHBOARD_API}/events`, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/:id',
      async ({ caller, params }): Promise<{ data: EventPage }> => {
        const { event, receivers } = await read(caller, async sql => {
          const event = await getEvent(sql, caller, params.id)
          const webhookIds = event.deliveries.map(({ webhook_id }) => webhook_id)
          return { event, receivers: await loadWebhookSummaries(sql, caller, webhookIds) }
        })
        return { data: { ...event, deliveries: withReceivers(event.deliveries, receivers) } }
      },
      { role: 'viewer' },
    )
    .get(
      '/about/:id',
      async ({ caller, params }): Promise<{ data: EventAboutRecord[] }> => {
        const { events, receivers } = await read(caller, async sql => {
          const events = await listEventsAbout(sql, caller, params.id)
          const webhookIds = events.flatMap(event =>
            event.deliveries.map(({ webhook_id }) => webhook_id),
          )
          return { events, receivers: await loadWebhookSummaries(sql, caller, webhookIds) }
        })
        return {
          data: events.map(event => ({
            ...event,
            deliveries: withReceivers(event.deliveries, receivers),
          })),
        }
      },
      { role: 'viewer' },
    )

const withReceivers = <T extends { webhook_id: string }>(
  deliveries: readonly T[],
  receivers: ReadonlyMap<string, WebhookSummary>,
) => deliveries.map(one => ({ ...one, receiver: receivers.get(one.webhook_id) ?? null }))
