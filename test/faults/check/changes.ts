import type { ExpectedEvent, History } from './history'

/** When the change was made that fired an event, by the id of the event, as far as it had a response. */
export const changesByEvent = ({
  expected,
  events,
}: Pick<History, 'expected' | 'events'>): Map<string, ExpectedEvent['change']> => {
  const key = ({ article, type }: { article: string | null; type: string }) =>
    `${type} of ${article}`
  const changes = new Map(expected.map(one => [key(one), one.change]))
  return new Map(events.map(one => [one.id, changes.get(key(one))]))
}
