import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
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
