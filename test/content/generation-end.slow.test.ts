import { afterEach, describe, expect, test } from 'bun:test'
import { generationOutbox } from '../../src/content/generations/outbox'
import { createReconciler } from '../../src/outbox/reconciliation'
import { finishDeletions } from '../support/content/deletions'
import { good, useGenerating } from '../support/content/generations'
import { refusal } from '../support/content/llm'
import { until } from '../support/until'

const {
  arden,
  live,
  temporal,
  llm,
  respond,
  pauseResponse,
  generate,
  get,
  reaches,
  cancel,
  workflow,
  ends,
  isOver,
  eventsOf,
  articlesOf,
  used,
} = await useGenerating()

afterEach(() => respond(good))

describe('POST /generations/<id>/cancel', () => {
  test('cancels one that is RUNNING at once, ends its request, and gives it back', async () => {
    const before = await used()
    const { paused } = pauseResponse()
    const generation = await generate()
    await paused
    const response = await cancel(generation.id)
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({
      status: 'CANCELLED',
      finished_at: expect.any(String),
      error: null,
    })
    expect(await used()).toBe(before)
    await isOver(generation.id)
    expect(await articlesOf(generation)).toEqual([])
    expect(await eventsOf(generation)).toEqual(['generation.started'])
    const [row] = await arden.sql`SELECT * FROM generations WHERE id = ${generation.id}`
    expect(row).toMatchObject({ due_at: null, check_at: null })
    const again = await cancel(generation.id)
    expect([again.status, again.body.error]).toEqual([409, 'CONFLICT'])
    expect(again.body.message).toContain('is CANCELLED')
    expect(await used()).toBe(before)
  })

  test('cancels one that waits for the next request to the provider', async () => {
    respond(() => refusal(503, 'overloaded', { 'retry-after': '60' }))
    const requests = llm.requests.length
    const { id } = await generate()
    await until('it failed once', async () => {
      const [row] =
        await arden.sql`SELECT failures FROM generation_steps WHERE generation_id = ${id}`
      return row?.failures === 1
    })
    expect((await cancel(id)).status).toBe(200)
    await ends(id, 'CANCELLED')
    expect(llm.requests.length).toBe(requests + 1)
  })

  test('a final one is a 409', async () => {
    const { id } = await generate()
    await reaches(id, 'COMPLETED')
    expect((await cancel(id)).status).toBe(409)
    respond(() => refusal(400, 'bad'))
    const failing = await generate()
    await reaches(failing.id, 'FAILED')
    expect((await cancel(failing.id)).status).toBe(409)
  })

  test('that meets completion: either an article and a 409, or neither, and the quota is right', async () => {
    const before = await used()
    let completed = 0
    for (let n = 0; n < 12; n++) {
      const { paused, go } = pauseResponse('metadata')
      const generation = await generate()
      await paused
      go()
      await Bun.sleep(n)
      const { status } = await cancel(generation.id)
      const final = await get(generation.id)
      expect([status, final.status]).toEqual(
        status === 200 ? [200, 'CANCELLED'] : [409, 'COMPLETED'],
      )
      if (status === 409) completed++
      await isOver(generation.id)
      expect(await get(generation.id)).toEqual({ ...final, steps: expect.any(Array) })
      expect(await articlesOf(generation)).toHaveLength(status === 200 ? 0 : 1)
    }
    expect(await used()).toBe(before + completed)
  })
})

describe('deleting', () => {
  test('a project cancels its running generations, hides them, and takes them along', async () => {
    const before = await used()
    const { paused, go } = pauseResponse()
    const generation = await generate()
    await paused
    await live.delete(`/projects/${generation.project_id}`)
    expect((await live.get(`/generations/${generation.id}`)).status).toBe(404)
    expect(await used()).toBe(before)
    go()
    await until('the project is gone', async () => {
      await finishDeletions(arden.sql)
      const rows = await arden.sql`SELECT FROM projects WHERE id = ${generation.project_id}`
      return rows.length === 0
    })
    await isOver(generation.id)
    expect(await eventsOf(generation)).toEqual(['generation.started'])
  })

  test('a keyword cancels its running generations and leaves what they were about', async () => {
    const { paused } = pauseResponse()
    const generation = await generate()
    await paused
    expect((await live.delete(`/keywords/${generation.keyword_id}`)).status).toBe(200)
    expect(await get(generation.id)).toMatchObject({
      status: 'CANCELLED',
      keyword: generation.keyword,
    })
  })
})

describe('in Temporal, an operator', () => {
  test('cancelling the workflow makes the generation CANCELLED', async () => {
    const before = await used()
    const { paused } = pauseResponse()
    const { id } = await generate()
    await paused
    await workflow(id).cancel()
    await reaches(id, 'CANCELLED')
    await ends(id, 'CANCELLED')
    expect(await used()).toBe(before)
  })

  const overdue = async (id: string) => {
    await arden.sql`UPDATE generations SET due_at = NULL, check_at = clock_timestamp() WHERE id = ${id}`
    await createReconciler(generationOutbox, arden.sql, temporal.client, () => {})()
  }

  test('terminating it makes the generation FAILED, "stopped"', async () => {
    const { paused } = pauseResponse()
    const generation = await generate()
    await paused
    await workflow(generation.id).terminate()
    await overdue(generation.id)
    const { error } = await reaches(generation.id, 'FAILED')
    expect(error.code).toBe('stopped')
    expect(await eventsOf(generation)).toEqual(['generation.started', 'generation.failed'])
  })

  test('one whose workflow Temporal has lost starts again, and creates one article', async () => {
    const { paused, go } = pauseResponse()
    const generation = await generate()
    await paused
    // As if it had never been started: Temporal knows no workflow of run 5.
    await arden.sql`UPDATE generations SET run = 5 WHERE id = ${generation.id}`
    respond(good)
    await overdue(generation.id)
    await reaches(generation.id, 'COMPLETED')
    await ends(generation.id, 'COMPLETED', 6)
    go()
    await ends(generation.id, 'COMPLETED')
    expect(await articlesOf(generation)).toHaveLength(1)
    expect(await eventsOf(generation)).toHaveLength(3)
  })
})
