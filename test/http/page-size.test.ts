import { expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'

const arden = await useArden({ serve: true })

const MIB = 1024 ** 2
/** One page: the byte budget, and room for the other members of its records. */
const PAGE_MAX = 4.1 * MIB

const fill = (bytes: number) => 'a'.repeat(bytes)

/** A new account with a project. */
const setUp = async () => {
  const { accountId } = await createCaller(arden.sql)
  const live = await arden.client({ accountId })
  const project = (await live.post('/projects', { name: 'p' })).body.data.id
  return { accountId, live, project }
}

type Account = Awaited<ReturnType<typeof setUp>>
type Insert = (account: Account, id: string, text: string, event?: string) => Promise<unknown>

const insertArticle: Insert = ({ accountId, project }, id, text) => arden.sql`
  INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
  VALUES (${id}, ${accountId}, 'live', ${project}, 't', 't', ${text}, 'DRAFT')`

const insertEvent: Insert = ({ accountId }, id, text) => arden.sql`
  INSERT INTO events (id, account_id, mode, type, body, created_at)
  VALUES (${id}, ${accountId}, 'live', 'article.created', ${JSON.stringify({ data: { title: text } })},
    now())`

const insertDelivery: Insert = ({ accountId }, id, text, event = newId('evt')) => arden.sql`
  INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit,
    response_body, created_at)
  VALUES (${id}, ${accountId}, 'live', ${newId('wh')}, ${event}, 'article.created', 'DELIVERED', 3,
    ${text}, now())`

const lists = [
  ['/articles?', 'art', insertArticle],
  ['/articles?status=DRAFT&', 'art', insertArticle],
  ['/events?', 'evt', insertEvent],
  ['/deliveries?', 'dlv', insertDelivery],
  ['/deliveries?status=DELIVERED&', 'dlv', insertDelivery],
] as const

test.each(lists)(
  '%s ends a page of large records at the byte budget, and next_cursor continues after it',
  async (path, prefix, insert) => {
    const account = await setUp()
    const ids = Array.from({ length: 11 }, () => newId(prefix))
    for (const id of ids) await insert(account, id, fill(MIB - 100))
    const pages: number[] = []
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await account.live.get(`${path}limit=100${cursor && `&cursor=${cursor}`}`)
      expect(JSON.stringify(body).length).toBeLessThan(PAGE_MAX)
      pages.push(body.data.length)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    }
    expect(pages).toEqual([4, 4, 3])
    expect(seen).toEqual(ids.reverse())
  },
)

test('the budget counts the bytes of JSON, where a control character has six', async () => {
  const account = await setUp()
  const ids = Array.from({ length: 25 }, () => newId('dlv'))
  for (const id of ids) await insertDelivery(account, id, '\u0001'.repeat(64 * 1024))
  for (const filter of ['', 'status=DELIVERED&']) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path = `/deliveries?${filter}limit=100${cursor && `&cursor=${cursor}`}`
      const { body }: { body: { data: { id: string }[]; next_cursor: string | null } } =
        await account.live.get(path)
      expect(JSON.stringify(body).length).toBeLessThan(PAGE_MAX)
      seen.push(...body.data.map(({ id }) => id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual(ids.toReversed())
  }
})

test.each([
  ['letters', 'a', 64],
  ['control characters', '\u0001', 10],
])(
  'an event with 100 deliveries has all of them, and response bodies up to the byte budget: %s',
  async (_, character, bodies) => {
    const account = await setUp()
    const event = newId('evt')
    await insertEvent(account, event, 'small')
    // As Arden makes them (webhooks/events/record.ts).
    const ids = Array.from({ length: 100 }, (_, n) => `dlv_${event.slice(4, 18)}${n + 1e11}`)
    for (const id of ids) await insertDelivery(account, id, character.repeat(64 * 1024 - 2), event)
    const { body } = await account.live.get(`/events/${event}`)
    expect(JSON.stringify(body).length).toBeLessThan(PAGE_MAX)
    const { deliveries }: { deliveries: { id: string; response_body: string | null }[] } = body.data
    expect(deliveries.map(({ id }) => id)).toEqual(ids.toReversed())
    const isShown = deliveries.map(({ response_body }) => response_body !== null)
    expect(isShown).toEqual(isShown.map((_, n) => n < bodies))
  },
)

// An article is smaller than a page.
test.each(lists.filter(([, prefix]) => prefix !== 'art'))(
  '%s has the first record of a page whatever its size, so that paging always advances',
  async (path, prefix, insert) => {
    const account = await setUp()
    const ids = Array.from({ length: 3 }, () => newId(prefix))
    for (const [n, id] of ids.entries()) await insert(account, id, fill(n === 1 ? 5 * MIB : 10))
    let cursor: string | null = ''
    for (const id of ids.toReversed()) {
      const { body }: { body: { data: { id: string }[]; next_cursor: string | null } } =
        await account.live.get(`${path}limit=100${cursor && `&cursor=${cursor}`}`)
      expect(body.data.map(one => one.id)).toEqual([id])
      cursor = body.next_cursor
    }
    expect(cursor).toBeNull()
  },
)

test('a page of small records has as many as limit says', async () => {
  const account = await setUp()
  for (let n = 0; n < 101; n++) await insertArticle(account, newId('art'), fill(30_000))
  const { body } = await account.live.get('/articles?limit=100')
  expect(body.data).toHaveLength(100)
  expect(body.next_cursor).not.toBeNull()
})
