import { expect, test } from 'bun:test'
import { useContent } from '../support/content/content'

/** Tags, filters and orders of the list of keywords (contract 6.23). */

const { arden, live, newProject } = await useContent()

const add = async (
  project: string,
  keyword: string,
  positions: (number | null)[],
  tags: string[] = [],
) => {
  const { id } = (await live.post(`/projects/${project}/keywords`, { keyword, tags })).body.data
  for (const position of positions) await live.post(`/keywords/${id}/rankings`, { position })
  return id as string
}
const list = async (project: string, query: string): Promise<string[]> =>
  (await live.get(`/projects/${project}/keywords?${query}`)).body.data.map(
    (one: { keyword: string }) => one.keyword,
  )

const project = (await newProject()).id
await add(project, 'up', [9, 4], ['a', 'b'])
await add(project, 'down', [2, 7], ['a'])
await add(project, 'same', [5, 5])
await add(project, 'lost', [3, null], ['b'])
await add(project, 'found', [null, 90])
await add(project, 'new', [1])
await add(project, 'never', [])

test('position_change is the gain since the ranking before; "not found" counts as 101', async () => {
  const { data } = (await live.get(`/projects/${project}/keywords`)).body
  expect(
    Object.fromEntries(
      data.map((one: { keyword: string; position_change: number }) => [
        one.keyword,
        one.position_change,
      ]),
    ),
  ).toEqual({ up: 5, down: -5, same: 0, lost: -98, found: 11, new: null, never: null })
})

test('sorts by position and by change, both ways', async () => {
  const byPosition = ['new', 'up', 'same', 'down', 'found', 'lost', 'never']
  expect(await list(project, 'sort=position')).toEqual(byPosition)
  expect(await list(project, 'sort=-position')).toEqual(byPosition.toReversed())
  const byChange = ['found', 'up', 'never', 'new', 'same', 'down', 'lost']
  expect(await list(project, 'sort=change')).toEqual(byChange)
  expect(await list(project, 'sort=-change')).toEqual(byChange.toReversed())
})

test('filters by tag, position and change, together with an order', async () => {
  expect(await list(project, 'tag=a&sort=position')).toEqual(['up', 'down'])
  expect(await list(project, 'tag=c')).toEqual([])
  expect(await list(project, 'position_max=5&sort=position')).toEqual(['new', 'up', 'same'])
  expect(await list(project, 'position_min=6&position_max=100&sort=position')).toEqual([
    'down',
    'found',
  ])
  expect(await list(project, 'change=improved&sort=change')).toEqual(['found', 'up'])
  expect(await list(project, 'change=declined&sort=change')).toEqual(['down', 'lost'])
})

test('pages follow each other in every order, also when a position changes between them', async () => {
  for (const sort of ['position', '-position', 'change', '-change']) {
    const all = await list(project, `sort=${sort}`)
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = `sort=${sort}&limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await live.get(`/projects/${project}/keywords?${query}`)
      paged.push(...body.data.map((one: { keyword: string }) => one.keyword))
      cursor = body.next_cursor
    }
    expect([sort, paged]).toEqual([sort, all])
  }
  const { next_cursor } = (await live.get(`/projects/${project}/keywords?sort=position&limit=2`))
    .body
  const other = await live.get(`/projects/${project}/keywords?sort=change&cursor=${next_cursor}`)
  expect(other.status).toBe(422)
  const newest = await live.get(`/projects/${project}/keywords?cursor=${next_cursor}`)
  expect(newest.status).toBe(422)
})

test('tags can be changed, also of a keyword with rankings', async () => {
  const id = await add((await newProject()).id, 'tagged', [3], ['one'])
  expect(
    (await live.patch(`/keywords/${id}`, { tags: ['two words', 'two'] })).body.data.tags,
  ).toEqual(['two words', 'two'])
  expect((await live.patch(`/keywords/${id}`, { tracked: false })).body.data.tags).toHaveLength(2)
  expect((await live.patch(`/keywords/${id}`, { tags: [] })).body.data.tags).toEqual([])
  for (const tags of [['a,b'], ['a;b'], [''], [' a'], ['a', 'a'], Array(11).fill('a')])
    expect([tags, (await live.patch(`/keywords/${id}`, { tags })).status]).toEqual([tags, 422])
})

test('orders are read from an index: a page of 50 of 20,000 keywords reads few rows', async () => {
  const { id } = await newProject()
  await arden.sql`
    INSERT INTO keywords (id, account_id, mode, project_id, keyword, folded, tracked, country, device,
      latest_position, position_change)
    SELECT 'kw_' || lpad(n::text, 26, '0'), ${arden.accountId}, 'live', ${id}, 'k' || n, 'k' || n,
      true, 'US', 'desktop', n % 100 + 1, n % 40 - 20 FROM generate_series(1, 20000) n`
  await arden.sql`ANALYZE keywords`
  for (const key of [
    arden.sql`coalesce(latest_position, 101)`,
    arden.sql`coalesce(position_change, 0)`,
  ]) {
    const [plan] = await arden.sql`
      EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM keywords
      WHERE project_id = ANY (ARRAY[${id}]) AND deleted_at IS NULL
      ORDER BY project_id, ${key}, id LIMIT 51`
    expect(JSON.stringify(plan)).toMatch(/keywords_(position|change)/)
    expect(JSON.stringify(plan)).not.toContain('"Sort"')
  }
})
