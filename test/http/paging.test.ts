import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import type { ApiResponse, Client } from '../support/client'
import { fc } from '../support/property'

const arden = await useArden({ serve: true })

/** Changes made while a page of `limit` records is read. */
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

type ListedRecord = { id: string; checked_at?: string }

/** A list under test, in an account of its own. `remove` is there where records can go. */
type List = {
  path: string
  /** The record that was made; null for one that the filter leaves out. */
  insert: () => Promise<ListedRecord | null>
  remove?: (id: string) => Promise<unknown>
}

const lists: [string, (live: Client) => Promise<List>][] = [
  [
    'projects',
    async live => ({
      path: '/projects?',
      insert: async () => ({ id: await insert(live) }),
      remove: id => live.delete(`/projects/${id}`),
    }),
  ],
  [
    'articles by project, status and time',
    async live => {
      const [project_id, other] = [await insert(live), await insert(live)]
      let count = 0
      return {
        path: `/articles?project_id=${project_id}&status=DRAFT&created_after=2026-01-31T12:00:00Z&`,
        insert: async () => {
          const isFound = ++count % 3 > 0
          const { data } = (
            await live.post('/articles', {
              title: 't',
              ...(count % 6 === 0 ? { project_id: other } : { project_id }),
              ...(count % 6 === 3 ? { status: 'PUBLISHED' } : {}),
            })
          ).body
          return isFound ? data : null
        },
        remove: id => live.delete(`/articles/${id}`),
      }
    },
  ],
  [
    'rankings, which arrive in any order and several for one time',
    async live => {
      const project = await insert(live)
      const made = await live.post(`/projects/${project}/keywords`, { keyword: 'k' })
      const path = `/keywords/${made.body.data.id}/rankings`
      let count = 0
      return {
        path: `${path}?`,
        insert: async () => {
          const checked_at = `2026-01-0${1 + ((++count * 5) % 7)}T00:00:00.000Z`
          return (await live.post(path, { position: 1, checked_at })).body.data
        },
      }
    },
  ],
]

/** The member that a list is ordered by. */
const place = ({ id, checked_at = '' }: ListedRecord) => `${checked_at} ${id}`

test.each(lists)(
  'under concurrent inserts and deletes, paging neither skips nor repeats, and goes from newer to older: %s',
  async (_, create) => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 12 }), turns, async (count, turns) => {
        const { accountId } = await createCaller(arden.sql)
        const { path, insert, remove } = await create(
          await arden.client({ accountId, rate_limit: 100_000 }),
        )
        const live = await arden.client({ accountId })
        const present = new Set<string>()
        const add = async () => {
          const made = await insert()
          if (made !== null) present.add(place(made))
          return made
        }
        const stays: ListedRecord[] = []
        for (let i = 0; i < count; i++) {
          const made = await add()
          if (made !== null) stays.push(made)
        }
        const seen: string[] = []
        let cursor: string | null = ''
        for (let turn = 0; cursor !== null; turn++) {
          const { limit, inserts, deletes } = turns[turn % turns.length] ?? {
            limit: 1,
            inserts: 0,
            deletes: 0,
          }
          const doomed = remove === undefined ? [] : stays.splice(0, deletes)
          const [page]: [ApiResponse, ...unknown[]] = await Promise.all([
            live.get(`${path}limit=${limit}${cursor && `&cursor=${cursor}`}`),
            ...doomed.map(({ id }) => remove?.(id)),
            ...Array.from({ length: inserts }, add),
          ])
          expect(page.body.data.length).toBeLessThanOrEqual(limit)
          seen.push(...page.body.data.map(place))
          cursor = page.body.next_cursor
          // Rankings of the past can be added for ever below the cursor.
          if (turn > 40) turns = [{ limit: 5, inserts: 0, deletes: 0 }]
        }
        expect(seen).toEqual([...new Set(seen)].sort().reverse())
        expect(stays.map(place).filter(one => !seen.includes(one))).toEqual([])
        expect(seen.filter(one => !present.has(one))).toEqual([])
      }),
      { numRuns: 15 },
    )
  },
  60_000,
)

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
})

test('a cursor that this API did not give is a 422 naming it, whatever it is', async () => {
  const live = await arden.client()
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async text => {
      const response = await live.get(`/projects?cursor=${encodeURIComponent(text)}`)
      expect([response.status, response.body.details?.[0].path]).toEqual([422, 'cursor'])
    }),
    { numRuns: 50 },
  )
})
