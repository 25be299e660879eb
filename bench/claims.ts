import { laneCapacity } from '../src/webhooks/queue/capacity'
import { enqueue } from '../src/webhooks/queue/changes'
import { createClaimer } from '../src/webhooks/queue/claimer'
import { MAX_ATTEMPTS } from '../src/webhooks/retry-schedule'
import type { Bench } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import { atMost, ratioAtMost } from './parts/goal'
import { median } from './parts/rounds'

const [FEW, MANY, PAUSED] = [1_000, 100_000, 10_000]
/** Deliveries that wait for each webhook, and webhooks of an account. */
const [BACKLOG, OF_ACCOUNT] = [5, 100]
const CLAIM = 100
const CLAIMS = 20
/** Claims before those that are measured: the claimer reads the queue, and sets aside what is paused. */
const WARM_UP_MS = 5_000
const CLAIM_MS = 20

/** A claim costs what it takes, however many webhooks wait. */
export const claims: Bench = {
  name: 'claims',
  product: `a claim of ${CLAIM} with ${MANY.toLocaleString('en')} webhooks that have a backlog, and ${PAUSED.toLocaleString('en')} paused ones`,
  baseline: `with ${FEW.toLocaleString('en')} webhooks, and none paused`,
  run: async ({ servers, rounds, amount }) => {
    await using few = await createDeployment(servers)
    await using many = await createDeployment(servers)
    await fillQueue(few, amount(FEW), 0)
    await fillQueue(many, amount(MANY), amount(PAUSED))
    const [ofFew, ofMany] = [await startClaims(few), await startClaims(many)]
    const [baseline, product]: [number[], number[]] = [[], []]
    for (let n = 0; n < rounds; n++) {
      baseline.push(await ofFew.measure())
      product.push(await ofMany.measure())
    }
    await ofFew.stop()
    await ofMany.stop()
    const ratios = product.map((ms, n) => ms / (baseline[n] ?? ms)).sort((a, b) => a - b)
    const about = {
      unit: 'ms',
      baseline: median(baseline),
      product: median(product),
      ratio: { median: median(ratios), least: ratios[0] ?? 0, most: ratios.at(-1) ?? 0 },
      cpu: {},
    }
    return [
      { ...about, variant: 'a claim', goal: atMost(CLAIM_MS) },
      { ...about, variant: 'its growth', goal: ratioAtMost(2) },
    ]
  },
}

const fillQueue = async ({ sql }: Deployment, webhooks: number, paused: number): Promise<void> => {
  const id = (prefix: string, n: string) =>
    sql.unsafe(`'${prefix}_' || lpad((${n})::text, 26, '0')`)
  const account = id('acc', `n / ${OF_ACCOUNT}`)
  await sql`
    INSERT INTO accounts (id, name)
    SELECT DISTINCT ${account}, 'bench' FROM generate_series(1, ${webhooks + paused}::int) n`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret, paused_at)
    SELECT ${id('wh', 'n')}, ${account}, 'live', 'https://receiver.example/', '{}', '',
      CASE WHEN n > ${webhooks} THEN now() END
    FROM generate_series(1, ${webhooks + paused}::int) n`
  await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit, created_at)
    SELECT ${id('dlv', `n * ${BACKLOG} + d`)}, ${account}, 'live', ${id('wh', 'n')}, 'evt', 'article.created',
      'RETRYING', ${MAX_ATTEMPTS}, now()
    FROM generate_series(1, ${webhooks + paused}::int) n, generate_series(1, ${BACKLOG}) d`
  await sql`${enqueue(sql, sql`deliveries`)}`
  await sql`VACUUM ANALYZE`
}

/** Claims, each after the deliveries of the last one have ended. */
const startClaims = async ({ sql }: Deployment) => {
  const claimer = createClaimer(sql, {
    work: 'attempts',
    capacity: laneCapacity(2_000),
    onFound: () => {},
  })
  const claim = async () => {
    const began = performance.now()
    const entries = await claimer.claim(CLAIM)
    const ms = performance.now() - began
    await claimer.release(entries)
    return { ms, count: entries.length }
  }
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until; ) await claim()
  return {
    /** The median, in ms. */
    measure: async () => {
      const times: number[] = []
      while (times.length < CLAIMS) {
        const { ms, count } = await claim()
        if (count < CLAIM) throw new Error(`a claim of ${CLAIM} got ${count}`)
        times.push(ms)
      }
      return median(times)
    },
    stop: claimer.stop,
  }
}
