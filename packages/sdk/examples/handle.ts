import type { WebhookEvent } from '@arden/sdk'

/** What your program does with an event. Do long work later: a delivery waits 30 s at most for its answer. */
export const handle = (event: WebhookEvent): void => {
  switch (event.event) {
    case 'article.published':
      console.log(`published: ${event.data.title} (${event.data.article_id})`)
      break
    case 'generation.failed':
      console.log(`failed: ${event.data.keyword}: ${event.data.error.message}`)
      break
    default:
      console.log(`${event.event}: nothing to do`)
  }
}
