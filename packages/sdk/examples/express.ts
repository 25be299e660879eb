import { verifyWebhook, WebhookVerificationError } from '@arden/sdk'
import express, { type ErrorRequestHandler } from 'express'
import { handle } from './handle.js'

const secret = process.env.ARDEN_WEBHOOK_SECRET ?? ''
const app = express()

// `raw`, before any `express.json()`: re-serialized JSON has another signature.
app.post('/hook', express.raw({ type: 'application/json' }), async (request, response, next) => {
  try {
    handle(await verifyWebhook(request.body, request.headers, secret))
    response.send('ok')
  } catch (error) {
    // Express 4 does not pass on errors of an async function by itself.
    next(error)
  }
})

const refuse: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof WebhookVerificationError) response.status(401).send(error.message)
  else next(error)
}
app.use(refuse)

app.listen(Number(process.env.PORT ?? 4000))
