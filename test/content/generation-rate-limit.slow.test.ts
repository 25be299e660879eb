import { beforeEach, expect, test } from 'bun:test'
import { good, REQUESTS, useGenerating } from '../support/content/generations'
import { refusal } from '../support/content/llm'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

/** Every test has a worker, and so a rate limit, of its own. */

const {
  arden,
  live,
  llm,
  respond,
  generate,
  get,
  reaches,
  cancel,
  ends,
  eventsOf,
  workflow,
  used,
} = await useGenerating({}, { serve: true })

const tooMany = (seconds: number | string) => () =>
  refusal(429, 'rate_limit_exceeded', { 'retry-after': String(seconds) })

beforeEach(() => {
  llm.requests.length = 0
})

const working = async (work: () => Promise<void>) => {
  const worker = await spawnArden('worker', arden.env)
  try {
    await work()
  } finally {
    const stopping = performance.now()
    expect(await worker.kill('SIGTERM')).toBe(0)
    // A worker waits up to 31 s for articles that are being written, but not for a rate limit.
    expect(performance.now() - stopping).toBeLessThan(25_000)
  }
  return worker.lines
}

const failuresOf = async (id: string) => {
  const [row] = await arden.sql<[{ failures: number }]>`
    SELECT sum(failures)::int AS failures FROM generation_steps WHERE generation_id = ${id}`
  return row.failures
}

test('a 429 uses up none of the four failures', async () => {
  await working(async () => {
    const gate = Promise.withResolvers<void>()
    respond(async (request, count) => {
      if (count > 1) return good(request, count)
      await gate.promise
      return tooMany(0)()
    })
    const { id } = await generate()
    await until('the first request arrives', () => llm.requests.length === 1)
    await arden.sql`UPDATE generation_steps SET failures = 3 WHERE generation_id = ${id}`
    gate.resolve()
    await reaches(id, 'COMPLETED')
    expect([await failuresOf(id), llm.requests.length]).toEqual([3, 1 + REQUESTS])
  })
})

test('an unfinished step says that it waits for the rate limit, and no longer once it is finished', async () => {
  const retriesOf = async (id: string) => {
    const { steps } = (await live.get(`/generations/${id}`)).body.data
    return steps.map((step: { retried_after: string | null }) => step.retried_after)
  }
  await working(async () => {
    respond((request, count) => (count === 1 ? tooMany(5)() : good(request, count)))
    const { id } = await generate()
    await until('it waits', async () => (await retriesOf(id))[0] === 'provider_rate_limited')
    await reaches(id, 'COMPLETED')
    expect(new Set(await retriesOf(id))).toEqual(new Set([null]))
  })
})

test('a 429 slows the whole queue down, is logged once, and leaves what was not requested QUEUED', async () => {
  const generations: { id: string; project_id: string }[] = []
  const log = await working(async () => {
    const times: number[] = []
    respond((request, count) => {
      times.push(performance.now())
      return count === 1 ? tooMany(3)() : good(request, count)
    })
    generations.push(await generate())
    const [first = { id: '', project_id: '' }] = generations
    await until('the 429 was sent', () => times.length === 1)
    for (let n = 0; n < 3; n++) generations.push(await generate())
    const { status, progress } = await reaches(first.id, 'RUNNING')
    expect([status, progress]).toEqual(['RUNNING', 0])
    const [, ...others] = generations
    for (const other of others) {
      expect((await get(other.id)).status).toBe('QUEUED')
      expect(await eventsOf(other)).toEqual([])
    }
    expect(times).toHaveLength(1)
    for (const { id } of generations) await reaches(id, 'COMPLETED')
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    expect(gaps[0]).toBeGreaterThan(2_900)
    expect(times).toHaveLength(1 + 4 * REQUESTS)
    // One by one, 1 s apart at first: the provider says nothing of its limit. On a busy machine one arrives late.
    expect((times[4] ?? 0) - (times[1] ?? 0)).toBeGreaterThan(1_500)
  })
  for (const { id } of generations) expect(await failuresOf(id)).toBe(0)
  const warned = log.filter(line => line.includes('responded with 429'))
  expect(warned).toHaveLength(1)
  expect(warned[0]).toContain('Requests pause for 3 s')
})

test('a generation that waits for the rate limit is cancelled at once', async () => {
  const before = await used()
  await working(async () => {
    respond(tooMany(3_600))
    const running = await generate()
    await until('the 429 was sent', () => llm.requests.length === 1)
    const queued = await generate()
    await until('both wait in Temporal', async () => {
      const pending = await Promise.all(
        [running, queued].map(async ({ id }) => {
          // Undefined until it is started.
          const description = await workflow(id)
            .describe()
            .catch(() => undefined)
          return JSON.stringify(description?.raw.pendingActivities ?? [])
        }),
      )
      return pending.every(text => text.includes('ProviderRateLimited'))
    })
    for (const { id } of [running, queued]) {
      expect((await cancel(id)).body.data.status).toBe('CANCELLED')
      await ends(id, 'CANCELLED')
    }
    expect(llm.requests).toHaveLength(1)
  })
  expect(await used()).toBe(before)
})

test('a provider that responds with 429 for a day makes the generation FAILED', async () => {
  await working(async () => {
    const gate = Promise.withResolvers<void>()
    respond(async () => {
      await gate.promise
      return tooMany(0)()
    })
    const { id } = await generate()
    await until('the request arrives', () => llm.requests.length === 1)
    await arden.sql`UPDATE generations SET started_at = now() - interval '25 hours' WHERE id = ${id}`
    gate.resolve()
    expect((await reaches(id, 'FAILED')).error.code).toBe('provider_rate_limited')
    expect((await live.get(`/generations/${id}`)).body.data.error.message).toContain('429')
  })
})
