import { afterAll, expect, test } from 'bun:test'
import { type Arden, startArden } from '../support/arden'
import { lockUntilReleased } from '../support/db/locks'
import { LANES, type Lane, settingsOf } from '../support/lanes'
import { spawnArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { LATE_MS, until } from '../support/until'

// In a file of its own: a stop that has to wait takes its 35 s. The whole took 100 s at a load of 8 on two cores.
const LONGEST_MS = 300_000
/** After SIGTERM an attempt may go on for so long, and then the process is gone, in ms. */
const [GRACE_MS, GONE_MS] = [31_000, 35_000]

const ardens: Arden[] = []
const startServe = async (lane: Lane) => {
  const arden = await startArden({ serve: true }, settingsOf(lane))
  ardens.push(arden)
  return arden
}
afterAll(() => Promise.all(ardens.map(arden => arden.stop())))
/** The query that waits for the table `events` at the beginning of an attempt. */
const READS_EVENT = { every: 'FROM deliveries_to_send', 'on-retry': 'FROM load_deliveries' }

/** Blocks every query on `table` until the returned function is called. */
const lock = ({ sql }: Arden, table: string) =>
  lockUntilReleased(sql, tx => tx`LOCK TABLE ${tx(table)}`)
const waits = ({ sql }: Arden, forWhat: string) =>
  until(
    `a query waits: ${forWhat}`,
    async () => {
      const [found] = await sql`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE ${`%${forWhat}%`}`
      return found
    },
    120,
  )

test.concurrent.each(LANES)(
  'SIGTERM, with a workflow %s: what still waits for an endpoint at 31 s is no attempt, and another worker sends it',
  async lane => {
    const arden = await startServe(lane)
    const receiver = startReceiver((_, count) =>
      count === 1 ? new Promise<Response>(() => {}) : new Response('ok'),
    )
    const live = await arden.client()
    const { id: webhook } = (
      await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
    ).body.data
    const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
    await live.post('/articles', { project_id, title: 't' })
    const record = async () =>
      (await live.get(`/webhooks/${webhook}/deliveries?limit=1`)).body.data[0]

    // An attempt ends by itself after 30 s, so one that is cut at 31 s begins after the signal.
    const unlock = await lock(arden, 'events')
    const stopped = await spawnArden('worker', arden.env)
    await waits(arden, READS_EVENT[lane])
    const signalledAt = performance.now()
    const gone = stopped.kill('SIGTERM')
    await Bun.sleep(1_500)
    await unlock()
    await until('the request arrived', () => receiver.received.length === 1)
    expect(await gone).toBe(0)
    expect(performance.now() - signalledAt).toBeWithin(GRACE_MS - 100, GONE_MS + LATE_MS)
    expect(await record()).toMatchObject({ status: 'RETRYING', attempt_count: 0 })

    const heir = await spawnArden('worker', arden.env)
    await until('it is DELIVERED', async () => (await record()).status === 'DELIVERED')
    expect((await record()).attempt_count).toBe(1)
    const ids = receiver.received.map(one => one.headers['x-webhook-delivery-id'])
    expect(ids).toEqual([ids[0] ?? '', ids[0] ?? ''])
    await heir.kill('SIGTERM')
    receiver.stop()
  },
  LONGEST_MS,
)

test.concurrent(
  'SIGTERM while a query hangs: the process is gone at 35 s all the same',
  async () => {
    const other = await startServe('every')
    const unlock = await lock(other, 'projects')
    const worker = await spawnArden('worker', other.env)
    await waits(other, 'projects')
    const signalledAt = performance.now()
    await worker.kill('SIGTERM')
    const tookMs = performance.now() - signalledAt
    await unlock()
    expect(tookMs).toBeLessThan(GONE_MS + LATE_MS)
  },
  LONGEST_MS,
)
