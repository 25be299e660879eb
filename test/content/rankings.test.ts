import { describe, expect, test } from 'bun:test'
import { day, useContent } from '../support/content/content'

const { live, newKeyword, rank, eventsOf } = await useContent()

describe('rankings', () => {
  test('POST responds 201 with the record, sets latest_position and fires keyword.ranked', async () => {
    const keyword = await newKeyword()
    const url = 'https://blog.acme.com/cold-brew'
    const response = await rank(keyword.id, { position: 7, url, checked_at: day(1) })
    expect(response.status).toBe(201)
    expect(response.body.data).toEqual({
      id: expect.stringMatching(/^rnk_[0-9a-z]{26}$/),
      keyword_id: keyword.id,
      position: 7,
      url,
      checked_at: day(1),
      test_mode: false,
      created_at: expect.any(String),
    })
    expect((await live.get(`/keywords/${keyword.id}`)).body.data).toMatchObject({
      latest_position: 7,
      latest_checked_at: day(1),
    })
    expect((await eventsOf(keyword.id)).slice(1)).toEqual([
      {
        event: 'keyword.ranked',
        data: {
          keyword_id: keyword.id,
          project_id: keyword.project_id,
          keyword: 'cold brew',
          position: 7,
          previous_position: null,
          url,
          checked_at: day(1),
        },
      },
    ])
  })

  test('an unchanged position is still data and fires; not found is null', async () => {
    const { id } = await newKeyword()
    for (const [n, position] of [3, 3, null, 4].entries())
      await rank(id, { position, checked_at: day(n + 1) })
    expect(await positions(id)).toEqual([
      [3, null],
      [3, 3],
      [null, 3],
      [4, null],
    ])
    await rank(id, { position: null })
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBeNull()
  })

  test('a clock that is up to five minutes ahead is no error: such a check was made now', async () => {
    const { id } = await newKeyword()
    const ahead = new Date(Date.now() + 270_000).toISOString()
    const response = await rank(id, { position: 1, checked_at: ahead })
    expect(response.status).toBe(201)
    expect(Date.parse(response.body.data.checked_at)).toBeLessThanOrEqual(Date.now())
  })

  test('a cursor of another keyword is a 422 naming it', async () => {
    const [mine, other] = [await newKeyword(), await newKeyword()]
    for (const { id } of [mine, other])
      for (const n of [1, 2]) await rank(id, { position: n, checked_at: day(n) })
    const { next_cursor } = (await live.get(`/keywords/${other.id}/rankings?limit=1`)).body
    const response = await live.get(`/keywords/${mine.id}/rankings?cursor=${next_cursor}`)
    expect([response.status, response.body.details?.[0].path]).toEqual([422, 'cursor'])
  })

  test('checked_at is now when absent', async () => {
    const { id } = await newKeyword()
    const { checked_at } = (await rank(id, { position: 1 })).body.data
    expect(Math.abs(Date.now() - Date.parse(checked_at))).toBeLessThan(10_000)
  })

  test('one that comes late is compared with the check before it, and latest_position does not go back in time', async () => {
    const { id } = await newKeyword()
    await rank(id, { position: 10, checked_at: day(1) })
    await rank(id, { position: 30, checked_at: day(3) })
    await rank(id, { position: 20, checked_at: day(2) })
    expect((await positions(id)).at(-1)).toEqual([20, 10])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(30)
    await rank(id, { position: 40, checked_at: day(4) })
    expect((await positions(id)).at(-1)).toEqual([40, 30])
  })

  test('many at once see one another: each but the first has the one before as previous_position', async () => {
    const { id } = await newKeyword()
    await Promise.all(Array.from({ length: 20 }, (_, n) => rank(id, { position: n + 1 })))
    const events = (await eventsOf(id)).slice(1).map(one => one.data)
    expect(events).toHaveLength(20)
    const history = (await live.get(`/keywords/${id}/rankings`)).body.data
    const order = history.map((one: { position: number }) => one.position).reverse()
    const previous = new Map(events.map(one => [one.position, one.previous_position]))
    expect(order.map((position: number) => previous.get(position))).toEqual([
      null,
      ...order.slice(0, -1),
    ])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(order.at(-1))
  })

  test('of a keyword that is not tracked is stored and fires nothing', async () => {
    const { id } = await newKeyword({ tracked: false })
    expect((await rank(id, { position: 5 })).status).toBe(201)
    expect((await eventsOf(id)).map(one => one.event)).toEqual(['keyword.created'])
    expect((await live.get(`/keywords/${id}`)).body.data.latest_position).toBe(5)
    expect((await live.get(`/keywords/${id}/rankings`)).body.data).toHaveLength(1)
  })

  test('the history is the latest check first, filtered by checked_at, with a cursor that repeats nothing', async () => {
    const { id } = await newKeyword()
    for (const n of [2, 4, 1, 3, 5]) await rank(id, { position: n, checked_at: day(n) })
    const list = async (query: string) => (await live.get(`/keywords/${id}/rankings?${query}`)).body
    const order = (body: { data: { position: number }[] }) => body.data.map(one => one.position)
    expect(order(await list(''))).toEqual([5, 4, 3, 2, 1])
    expect(order(await list(`checked_after=${day(2)}&checked_before=${day(5)}`))).toEqual([4, 3])
    const first = await list('limit=2')
    expect(order(first)).toEqual([5, 4])
    await rank(id, { position: 6, checked_at: day(6) })
    const second = await list(`limit=2&cursor=${first.next_cursor}`)
    expect(order(second)).toEqual([3, 2])
    const third = await list(`limit=2&cursor=${second.next_cursor}`)
    expect([order(third), third.next_cursor]).toEqual([[1], null])
  })

  test('what a member must not be is a 422 naming it', async () => {
    const { id } = await newKeyword()
    const future = new Date(Date.now() + 330_000).toISOString()
    for (const body of [
      { position: 0 },
      { position: 101 },
      { position: 1.5 },
      { position: '1' },
      { position: 1, url: 'blog' },
      { position: 1, url: 'javascript:alert(1)' },
      { position: 1, checked_at: future },
      { position: 1, checked_at: '2026-01-01' },
      { position: 1, checked_at: '0001-01-01T00:00:00Z' },
      { position: 1, previous_position: 1 },
    ]) {
      const response = await rank(id, body)
      expect([body, response.status, response.body.details?.[0].path]).toEqual([
        body,
        422,
        Object.keys(body).at(-1),
      ])
    }
    expect((await rank(id, {})).body.details[0].path).toBe('position')
    expect((await live.get(`/keywords/${id}/rankings`)).body.data).toEqual([])
  })

  test('a keyword with rankings stays the same search: only tracked and its case can change', async () => {
    const { id } = await newKeyword()
    await rank(id, { position: 5 })
    for (const change of [{ keyword: 'hot brew' }, { country: 'DE' }, { device: 'mobile' }])
      expect((await live.patch(`/keywords/${id}`, change)).body.error).toBe('CONFLICT')
    const same = { keyword: 'Cold Brew', country: 'US', device: 'desktop', tracked: false }
    expect((await live.patch(`/keywords/${id}`, same)).body.data).toMatchObject(same)
  })
})

/** [position, previous_position] of each keyword.ranked so far. */
const positions = async (id: string) =>
  (await eventsOf(id)).slice(1).map(({ data }) => [data.position, data.previous_position])
