import type { Arden } from '../arden'
import type { Client } from '../client'
import { until } from '../until'

/** A webhook's record as these tests need it. */
export type Hook = { id: string; url: string }

export const subscribe = async (
  as: Client,
  url: string,
  events: string[] = ['article.created'],
): Promise<Hook> => (await as.post('/webhooks', { url, events })).body.data

/** `count` articles of a new project, each an event `article.created`. */
export const makeArticles = async (as: Client, count: number): Promise<void> => {
  const { id: project_id } = (await as.post('/projects', { name: 'Blog' })).body.data
  for (let n = 0; n < count; n++) await as.post('/articles', { project_id, title: `Article ${n}` })
}

// biome-ignore lint/suspicious/noExplicitAny: a record of the API; tests look into it freely
export type Record = any

export const deliveriesOf = async (as: Client, hook: Hook, query = ''): Promise<Record[]> =>
  (await as.get(`/webhooks/${hook.id}/deliveries${query}`)).body.data

/** The deliveries of a webhook, when all are final. */
export const finalDeliveries = (as: Client, hook: Hook, count: number): Promise<Record[]> =>
  until(`${count} deliveries are final`, async () => {
    const all = await deliveriesOf(as, hook)
    return all.length === count && all.every(one => one.status !== 'RETRYING') ? all : undefined
  })

/**
 * `count` deliveries that end with their first attempt: made while the webhook is paused, they are limited by
 * SQL that they have only one. Returns them when they are final.
 */
export const oneAttemptEach = async (
  { sql }: Pick<Arden, 'sql'>,
  as: Client,
  hook: Hook,
  count = 1,
): Promise<Record[]> => {
  const before = (await deliveriesOf(as, hook)).length
  await as.post(`/webhooks/${hook.id}/pause`)
  await makeArticles(as, count)
  await sql`UPDATE deliveries SET attempt_limit = 1 WHERE webhook_id = ${hook.id} AND status = 'RETRYING'`
  await as.post(`/webhooks/${hook.id}/resume`)
  return (await finalDeliveries(as, hook, before + count)).slice(0, count)
}
