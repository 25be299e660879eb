import { verifyWebhook, WebhookVerificationError } from '@arden/sdk'
import { Hono } from 'hono'
import { handle } from './handle'

const secret = process.env.ARDEN_WEBHOOK_SECRET ?? ''
const app = new Hono()

app.post('/hook', async context => {
  // The bytes as they came: JSON that is parsed and written again is not what was signed.
  const body = await context.req.arrayBuffer()
  handle(await verifyWebhook(body, context.req.raw.headers, secret))
  return context.text('ok')
})

app.onError((error, context) => {
  if (error instanceof WebhookVerificationError) return context.text(error.message, 401)
  throw error
})

// What Bun serves; Deno, Cloudflare Workers and the like take `app.fetch` too.
export default { port: Number(process.env.PORT ?? 4000), fetch: app.fetch }
