import { verifyWebhook, WebhookVerificationError } from '@arden/sdk'
import { Hono } from 'hono'
import { handle } from './handle.js'

const secret = process.env.ARDEN_WEBHOOK_SECRET ?? ''
const app = new Hono()

app.post('/hook', async context => {
  // The raw bytes: re-serialized JSON has another signature.
  const body = await context.req.arrayBuffer()
  handle(await verifyWebhook(body, context.req.raw.headers, secret))
  return context.text('ok')
})

app.onError((error, context) => {
  if (error instanceof WebhookVerificationError) return context.text(error.message, 401)
  throw error
})

// For Bun. Deno, Cloudflare Workers and others use `app.fetch` too.
export default { port: Number(process.env.PORT ?? 4000), fetch: app.fetch }
