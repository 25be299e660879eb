import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Arden, startArden } from './support/arden'
import { createCaller } from './support/caller'
import type { Answer, Client } from './support/client'

let arden: Arden

beforeAll(async () => {
  arden = await startArden({ serve: true })
})
afterAll(() => arden.stop())

/** What happens while a page of `limit` records is being read. */
const turns = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    inserts: fc.nat({ max: 3 }),
    deletes: fc.nat({ max: 2 }),
  }),
  { minLength: 1, maxLength: 6 },
)

const insert = async (live: Client): Promise<string> =>
  (await live.post('/projects', { name: 'p' })).body.data.id

test('under concurrent inserts and deletes, paging neither skips nor repeats, and goes from newer to older', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 12 }), turns, async (count, turns) => {
      const { accountId } = await createCaller(arden.sql)
      const live = await arden.client({ accountId })
      const present = new Set<string>()
      for (let i = 0; i < count; i++) present.add(await insert(live))
      const stays = new Set(present)
      const seen: string[] = []
      let cursor: string | null = ''
      for (let turn = 0; cursor !== null; turn++) {
        const { limit, inserts, deletes } = turns[turn % turns.length] ?? {
          limit: 1,
          inserts: 0,
          deletes: 0,
        }
        const doomed = [...stays].slice(0, deletes)
        for (const id of doomed) stays.delete(id)
        const [page]: [Answer, ...unknown[]] = await Promise.all([
          live.get(`/projects?limit=${limit}${cursor && `&cursor=${cursor}`}`),
          ...doomed.map(id => live.delete(`/projects/${id}`)),
          ...Array.from({ length: inserts }, async () => present.add(await insert(live))),
        ])
        expect(page.body.data.length).toBeLessThanOrEqual(limit)
        seen.push(...page.body.data.map(({ id }: { id: string }) => id))
        cursor = page.body.next_cursor
      }
      expect(seen).toEqual([...new Set(seen)].sort().reverse())
      expect([...stays].filter(id => !seen.includes(id))).toEqual([])
      expect(seen.filter(id => !present.has(id))).toEqual([])
    }),
    { numRuns: 30 },
  )
}, 60_000)

test('the last page says so: its next_cursor is null, also when it is full or empty', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 6 }), fc.integer({ min: 1, max: 4 }), async (count, limit) => {
      const { accountId } = await createCaller(arden.sql)
      const live = await arden.client({ accountId })
      for (let i = 0; i < count; i++) await insert(live)
      const sizes: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await live.get(`/projects?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        sizes.push(body.data.length)
        cursor = body.next_cursor
      }
      expect(sizes).toHaveLength(Math.max(1, Math.ceil(count / limit)))
      expect(sizes.reduce((sum, size) => sum + size)).toBe(count)
    }),
    { numRuns: 20 },
  )
}, 60_000)

test('a cursor that this API did not give is a 422 naming it, whatever it is', async () => {
  const live = await arden.client()
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async text => {
      const answer = await live.get(`/projects?cursor=${encodeURIComponent(text)}`)
      expect([answer.status, answer.body.details?.[0].path]).toEqual([422, 'cursor'])
    }),
    { numRuns: 50 },
  )
})
