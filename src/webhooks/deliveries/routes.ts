import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import { withCaller } from '../../http/request/caller'
import {
  EmptyBody,
  Integer,
  OneOf,
  RecordResponse,
  RequestBody,
  Timestamp,
} from '../../http/schema'
import { redeliver, redeliverFailed } from './redelivery'
import { Delivery } from './schema'

const Redelivery = RequestBody({
  status: OneOf(['FAILED'], { description: 'Of which deliveries.', examples: ['FAILED'] }),
  created_after: t.Optional(Timestamp),
})

const Redelivered = t.Object(
  { count: Integer({ minimum: 0, description: 'Deliveries to be sent again.', examples: [12] }) },
  { title: 'Redelivered' },
)

/** Sending again what is final: contract 5. */
export const deliveryRoutes = ({ change }: { change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/webhooks/:id/deliveries/:delivery_id/redeliver',
      context => {
        const { caller, params } = context
        return change(context, 202, tx => redeliver(tx, caller, params.id, params.delivery_id))
      },
      {
        changes: ['deliveries'],
        body: EmptyBody,
        detail: operation({
          summary: 'Send a delivery again',
          description:
            'Up to three more attempts with the same delivery id and body, numbered on. 409 while it is RETRYING, and while the webhook is disabled.',
          tags: ['Deliveries'],
          success: {
            status: 202,
            description: 'The delivery, RETRYING.',
            schema: RecordResponse(Delivery),
          },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
    .post(
      '/webhooks/:id/redeliver',
      context => {
        const { caller, params, body } = context
        return change(context, 202, tx =>
          redeliverFailed(tx, caller, params.id, body.created_after),
        )
      },
      {
        changes: ['deliveries'],
        body: Redelivery,
        detail: operation({
          summary: 'Send what failed again',
          description:
            'Everything of the webhook that is FAILED, or what of it was made after `created_after`. 409 while the webhook is disabled.',
          tags: ['Deliveries'],
          success: { status: 202, description: 'How many.', schema: RecordResponse(Redelivered) },
          errors: ['NOT_FOUND', 'CONFLICT'],
        }),
      },
    )
