import { verifyWebhook, WebhookVerificationError } from '@arden/sdk'
import { Elysia } from 'elysia'
import { handle } from './handle.js'

const secret = process.env.ARDEN_WEBHOOK_SECRET ?? ''

new Elysia()
  .onError(({ error, status }) =>
    error instanceof WebhookVerificationError ? status(401, error.message) : undefined,
  )
  .post(
    '/hook',
    async ({ body, request }) => {
      handle(await verifyWebhook(body as ArrayBuffer, request.headers, secret))
      return 'ok'
    },
    // The raw bytes: re-serialized JSON has another signature.
    { parse: 'arrayBuffer' },
  )
  .listen(Number(process.env.PORT ?? 4000))
