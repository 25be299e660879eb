import { expect, test } from 'bun:test'
import { lowestIdAt } from '../../src/ids'
import { gapAfter } from '../../src/webhooks/event-stream/gap'
import { currentPosition, formatPosition } from '../../src/webhooks/event-stream/store'
import { useArden } from '../support/arden'
import { createReader, openEvents } from '../support/webhooks/event-stream'

/** What a reader of the event stream that resumes gets, where events may be missing, and where none is (contract 5.16). */

const arden = await useArden({ serve: true })
const tester = (of?: string) => createReader(arden, of)

test('a reader that resumes from before the retention gets a gap before the first event, and no other reader', async () => {
  const { key, write } = await tester()
  const { xid } = await currentPosition(arden.sql)
  const DAY_MS = 24 * 3600 * 1000
  const from = (daysAgo: number) =>
    openEvents(arden.url, key, {
      lastEventId: `${xid}.${lowestIdAt('evt', new Date(Date.now() - daysAgo * DAY_MS))}`,
    })
  const [late, inTime] = [await from(30.5), await from(29.5)]
  const article = await write('kept')
  const [gap, event] = await late.until(2)
  expect(gap).toMatchObject({ event: 'gap', id: undefined })
  const { before, message } = JSON.parse(gap?.data ?? '{}')
  expect(Date.now() - Date.parse(before)).toBeGreaterThanOrEqual(30 * DAY_MS)
  expect(message).toContain(before)
  expect(JSON.parse(event?.data ?? '{}').data.article_id).toBe(article)
  const [first] = await inTime.until(1)
  expect(first).toEqual(event)
  for (const one of [late, inTime]) one.close()
})

test('a reader that resumes with a position of another database history gets a gap, and recent events again', async () => {
  const { key, write } = await tester()
  const written = [await write('a'), await write('b')]
  // As large as a transaction number can be: those of the two histories do not compare.
  const lastEventId = `00000000.9000000000000000000.${lowestIdAt('evt', new Date())}`
  const stream = await openEvents(arden.url, key, { lastEventId })
  const [gap, ...events] = await stream.until(3)
  expect(gap).toMatchObject({ event: 'gap', id: undefined })
  expect(events.map(({ data }) => JSON.parse(data).data.article_id)).toEqual(written)
  const next = await openEvents(arden.url, key, { lastEventId: events[0]?.id ?? '' })
  expect(await next.until(1)).toEqual(events.slice(1))
  for (const one of [stream, next]) one.close()
})

test('the cursor that a stream begins with has its time, and resumes with all that follows', async () => {
  const { key, write } = await tester()
  const now = await currentPosition(arden.sql)
  expect(gapAfter(now, 1)).toBeUndefined()
  const DAY_MS = 24 * 3600 * 1000
  expect(gapAfter(now, 1, Date.now() + DAY_MS - 60_000)).toBeUndefined()
  expect(gapAfter(now, 1, Date.now() + DAY_MS + 1_000)).toBeDefined()
  const article = await write('after it')
  const stream = await openEvents(arden.url, key, { lastEventId: formatPosition(now) })
  const [first] = await stream.until(1)
  expect(JSON.parse(first?.data ?? '{}').data.article_id).toBe(article)
  stream.close()
})
