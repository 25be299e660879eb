import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import type { Arden } from '../arden'
import { client } from '../client'
import { until } from '../until'

/** A stream of `GET /events/stream`, read as it comes. `status` is 200 where it is one. */
export const openEvents = async (
  url: string,
  key: string,
  { events, lastEventId }: { events?: string; lastEventId?: string } = {},
) => {
  const stop = new AbortController()
  const response = await fetch(
    `${url}/api/public/v1/events/stream${events === undefined ? '' : `?events=${events}`}`,
    {
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal: stop.signal,
    },
  )
  const received: EventSourceMessage[] = []
  const state = { ended: false }
  const read = async () => {
    const messages = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    if (messages) for await (const message of messages) received.push(message)
  }
  if (response.ok)
    read()
      .catch(() => {})
      .finally(() => {
        state.ended = true
      })
  return {
    status: response.status,
    headers: response.headers,
    received,
    state,
    /** The ids of the events that came so far. */
    ids: () => received.map(({ data }) => JSON.parse(data).id as string),
    /** Waits until there are `count`: also for transactions of other tests, which hold up every stream. */
    until: (count: number) =>
      until(`${count} events`, () => received.length >= count && received.slice(0, count)),
    close: () => stop.abort(),
  }
}

/**
 * A key, a client with it, and a project to write articles in: of an account of its own, for a stream that is opened
 * while a transaction of some other test is open begins before what has happened meanwhile.
 */
export const createReader = async (arden: Arden, of?: string) => {
  const accountId = of ?? (await arden.newAccount())
  const { id, key } = await arden.key({ mode: 'test', accountId })
  const api = client(arden.url, key)
  const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
  const write = async (title: string) =>
    (await api.post('/articles', { project_id, title })).body.data.id as string
  return { accountId, id, key, api, write }
}
