import { t } from 'elysia'
import { Id, Timestamp, type TypeOf } from '../../http/schema'
import { Delivery } from '../deliveries/schema'
import { EVENT_DATA_EXAMPLE, EventTypeName } from '../events/schema'

/** Event schemas of the API: contract 5.15. */
export const Event = t.Object(
  {
    id: Id('evt'),
    event: EventTypeName,
    data: t.Record(t.String(), t.Unknown(), {
      description: 'The payload; its members depend on the event type.',
      examples: [EVENT_DATA_EXAMPLE],
    }),
    test: t.Boolean({ description: 'Whether it is the sample event of the test endpoint.' }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Event' },
)
export type Event = TypeOf<typeof Event>

export const EventDetail = t.Composite([Event, t.Object({ deliveries: t.Array(Delivery) })], {
  title: 'EventDetail',
})
export type EventDetail = TypeOf<typeof EventDetail>
