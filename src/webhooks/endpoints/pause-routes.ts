import { Elysia } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { operation } from '../../http/openapi/operation'
import { withCaller } from '../../http/request/caller'
import { EmptyBody, RecordResponse } from '../../http/schema'
import { setPaused } from './pause'
import { Webhook } from './schema'

/** Pausing and resuming a webhook: contract 4.12. */
export const pauseRoutes = ({ change }: { change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post(
      '/webhooks/:id/pause',
      context => change(context, 200, tx => setPaused(tx, context.caller, context.params.id, true)),
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: EmptyBody,
        detail: operation({
          summary: 'Pause a webhook',
          description:
            'No attempt begins until it is resumed, test deliveries included; everything waits. What is under way ends and is recorded.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook, paused.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .post(
      '/webhooks/:id/resume',
      context =>
        change(context, 200, tx => setPaused(tx, context.caller, context.params.id, false)),
      {
        changes: ['webhooks', 'deliveries', 'audit'],
        body: EmptyBody,
        detail: operation({
          summary: 'Resume a webhook',
          description: 'What has waited is sent.',
          tags: ['Webhooks'],
          success: {
            status: 200,
            description: 'The webhook, no longer paused.',
            schema: RecordResponse(Webhook),
          },
          errors: ['NOT_FOUND'],
        }),
      },
    )
