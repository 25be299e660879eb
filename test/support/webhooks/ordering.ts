import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Tenant } from '../../../src/caller'
import { connect, type Sql, type Tx } from '../../../src/db/connect'
import { newId } from '../../../src/ids'
import { createWaker, type Waker } from '../../../src/notifications/wake'
import { recordEvents } from '../../../src/webhooks/events/record'
import { createRandom } from '../../faults/random'
import { type Arden, startArden } from '../arden'
import type { Client } from '../client'
import { type Lane, settingsOf } from '../lanes'
import { spawnArden } from '../process'
import { type ReceivedRequest, startReceiver } from '../receiver'
import { SEED } from '../seed'
import { until } from '../until'

/** For all of them to arrive, on a machine that is very busy. */
const ARRIVED_S = 240
/** First attempts that get a 500, by how many came before them: at most so many, wherever chance has them. */
const FAILURES = 2

/** The test of `ordered: true`: `writers` commit `each` events one after another while attempts fail and a worker is killed. */
export const testOrdering = (lane: Lane, writers: number, each: number): void => {
  const random = createRandom(SEED)
  const below = (limit: number) => Math.floor(random.between(0, limit))
  const events = writers * each
  let arden: Arden
  let pool: Sql
  let waker: Waker
  let live: Client
  beforeAll(async () => {
    arden = await startArden({ serve: true }, settingsOf(lane))
    live = await arden.client()
    pool = connect(arden.env.DATABASE_URL ?? '', { name: 'writers', max: writers })
    waker = createWaker(arden.env.DATABASE_URL ?? '')
    await arden.sql`CREATE TABLE commits (n int)`
    await arden.sql`INSERT INTO commits VALUES (0)`
  })
  afterAll(async () => {
    await waker.stop()
    await pool.end()
    await arden.stop()
  })

  /** One event, and the position of its transaction in the order of commits: the counter is locked until the commit. */
  const write = async (tenant: Tenant): Promise<{ id: string; n: number }> => {
    const written = await pool.begin(async tx => {
      const [event] = await recordEvents(tx as Tx, [
        {
          tenant,
          type: 'article.deleted',
          data: { article_id: newId('art'), project_id: newId('prj') },
        },
      ])
      const [commit] = await tx<{ n: number }[]>`UPDATE commits SET n = n + 1 RETURNING n`
      return { id: event?.id ?? '', n: commit?.n ?? 0 }
    })
    waker.wake()
    return written
  }

  test(
    `${writers} writers, random 500s and a killed worker: events arrive in the order of their commits`,
    async () => {
      const failing = new Set(Array.from({ length: FAILURES }, () => below(events)))
      const underWay = { now: 0, most: 0 }
      const receiver = startReceiver(async (_, count) => {
        underWay.most = Math.max(underWay.most, ++underWay.now)
        await Bun.sleep(below(4))
        underWay.now--
        const isRefused = count === 1 && failing.has(firstArrivals(receiver.received).length)
        return new Response(null, { status: isRefused ? 500 : 200 })
      })
      const doomed = await spawnArden('worker', arden.env)
      const heir = await spawnArden('worker', arden.env)
      const { id: webhook } = (
        await live.post('/webhooks', {
          url: receiver.url,
          events: ['article.deleted'],
          ordered: true,
        })
      ).body.data

      const tenant: Tenant = { accountId: arden.accountId, mode: 'live' }
      const writing = Array.from({ length: writers }, async () => {
        const mine = []
        for (let n = 0; n < each; n++) mine.push(await write(tenant))
        return mine
      })
      await until('a third arrived', () => receiver.received.length > events / 3, ARRIVED_S)
      await doomed.kill('SIGKILL')
      const written = (await Promise.all(writing)).flat()
      const open = () => arden.sql`SELECT FROM deliveries WHERE status = 'RETRYING' LIMIT 1`
      await until('all are final', async () => (await open()).length === 0, ARRIVED_S)

      const committed = written.sort((a, b) => a.n - b.n).map(({ id }) => id)
      expect(firstArrivals(receiver.received)).toEqual(committed)
      // What the killed worker had sent, another sent once more; else one at a time.
      expect(underWay.most).toBeLessThanOrEqual(2)
      const states = await arden.sql`
        SELECT status, count(*) FROM deliveries WHERE webhook_id = ${webhook} GROUP BY status`
      expect([...states]).toEqual([{ status: 'DELIVERED', count: events }])
      const at = receiver.received.map(one => one.at)
      process.stderr.write(
        `${events} events in order, with a workflow ${lane}: ${Math.round((at.at(-1) ?? 0) - (at[0] ?? 0))} ms, ${median(at.slice(1).map((one, n) => one - (at[n] ?? 0)))} ms from one to the next\n`,
      )
      await heir.kill('SIGTERM')
      receiver.stop()
    },
    2 * ARRIVED_S * 1000,
  )
}

/** The ids of events, each where it came first. */
const firstArrivals = (received: ReceivedRequest[]): string[] => [
  ...new Set(received.map(({ body }) => (JSON.parse(body) as { id: string }).id)),
]

const median = (numbers: number[]) =>
  Math.round(numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0)
