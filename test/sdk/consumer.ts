import { ArdenError, createArden, verifyWebhook, type WebhookEvent } from '@arden/sdk'

/**
 * A user's program that is compiled and never run (package.slow.test.ts): what the types let pass, and, in each
 * `@ts-expect-error`, what they must not.
 */
const arden = createArden({ url: 'https://arden.example.com', apiKey: 'ar_test_' })

export const calls = async () => {
  const { data: project } = await arden.post('/projects', { body: { name: 'Blog' } })
  const name: string = project.name
  const { data: webhook } = await arden.post('/webhooks', {
    body: { url: 'https://example.com/hook', events: ['article.published'] },
  })
  const secret: string = webhook.secret
  const path = { id: webhook.id }
  await arden.post('/webhooks/{id}/rotate-secret', { path })
  await arden.get('/webhooks/{id}/deliveries', { path, query: { status: 'FAILED' } })
  for await (const delivery of arden.list('/deliveries')) delivery.status satisfies string
  for await (const { reasons } of arden.list('/deliveries').pages()) reasons satisfies object[]
  const { signal } = new AbortController()
  await arden.get('/usage', { signal })
  for await (const { event, body } of arden.stream({ events: ['article.created'], signal }))
    if (event.event === 'article.created') [event.data.title, body] satisfies string[]

  // @ts-expect-error: no such path
  await arden.get('/article')
  // @ts-expect-error: a path that does not take DELETE
  await arden.delete('/usage')
  // @ts-expect-error: `path` is missing
  await arden.get('/articles/{id}')
  // @ts-expect-error: `name` is missing
  await arden.post('/projects', { body: {} })
  // @ts-expect-error: no such event
  await arden.post('/webhooks', { body: { url: 'https://example.com', events: ['article.read'] } })
  // @ts-expect-error: no such filter
  await arden.get('/articles', { query: { colour: 'red' } })
  // @ts-expect-error: only a POST happens once
  await arden.get('/usage', { idempotencyKey: 'once' })
  // @ts-expect-error: no such event
  arden.stream({ events: ['article.read'] })
  // @ts-expect-error: one record, no list
  arden.list('/usage')
  // @ts-expect-error: the secret is shown once
  ;(await arden.get('/webhooks/{id}', { path })).data.secret
  return [name, secret]
}

export const describeError = (error: unknown): string => {
  if (!(error instanceof ArdenError)) return 'not ours'
  // @ts-expect-error: not every error has details
  error.details satisfies object
  switch (error.code) {
    case 'VALIDATION_ERROR':
      return error.details.map(({ path, message }) => `${path} ${message}`).join()
    case 'TOO_MANY_REQUESTS':
      return `in ${error.retryAfter satisfies number} s`
    case 'SECRET_SHOWN_BEFORE':
      return error.record.id
    // @ts-expect-error: no such code
    case 'NO_SUCH_CODE':
      return error
    default:
      return error.message
  }
}

export const receive = async (request: Request) => {
  const event = await verifyWebhook(await request.text(), request.headers, ['new', 'old'], {
    maxAgeSeconds: 300,
  })
  // @ts-expect-error: not every event has a title
  event.data.title satisfies string
  switch (event.event) {
    case 'article.updated':
      return event.data.changed satisfies string[]
    case 'keyword.ranked':
      return event.data.position satisfies number | null
    case 'generation.failed':
      return event.data.error.code satisfies string
    // @ts-expect-error: no such event
    case 'article.read':
      return event
    default:
      return event.created_at
  }
}

export const title = (event: WebhookEvent<'article.created' | 'article.published'>) =>
  event.data.title
