import type { WebhookEvent } from '@arden/sdk'

/** Handles an event. Do slow work afterwards: Arden waits at most 30 s for the response. */
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
