/**
 * The minimum of sending deliveries: signed POSTs from one process, with outcomes written in batches.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from '../../src/db/connect'
import { newId } from '../../src/ids'
import { handleJobs } from '../parts/child'

export type BaselineSenderJob = { databaseUrl: string; url: string; count: number }

/** Concurrent POSTs; Bun's fetch makes at most 256. */
const IN_FLIGHT = 128
const BATCH = 100

type Outcome = { id: string; at: string; ms: number; status: number; body: string }

handleJobs<BaselineSenderJob, { seconds: number }>(async ({ databaseUrl, url, count }) => {
  const sql = connect(databaseUrl, { name: 'baseline', max: 4 })
  await sql`
    CREATE TABLE IF NOT EXISTS baseline_outcomes
      (id text PRIMARY KEY, at timestamptz NOT NULL, ms int NOT NULL, status int NOT NULL, body text)`
  const secret = randomBytes(32).toString('hex')
  const event = (n: number) =>
    JSON.stringify({
      id: newId('evt'),
      event: 'article.created',
      created_at: new Date().toISOString(),
      data: { article_id: newId('art'), title: `Article ${n}`, status: 'DRAFT' },
    })
  const writes: Promise<unknown>[] = []
  let outcomes: Outcome[] = []
  const write = () => {
    const batch = outcomes
    outcomes = []
    writes.push(sql`INSERT INTO baseline_outcomes ${sql(batch)}`.execute())
  }
  let left = count
  const sendSome = async () => {
    while (left-- > 0) {
      const body = event(left)
      const id = newId('dlv')
      const at = new Date().toISOString()
      const began = performance.now()
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-webhook-delivery-id': id,
          'x-webhook-timestamp': at,
          'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
        body,
      })
      outcomes.push({
        id,
        at,
        ms: Math.round(performance.now() - began),
        status: response.status,
        body: await response.text(),
      })
      if (outcomes.length === BATCH) write()
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendSome))
  if (outcomes.length > 0) write()
  await Promise.all(writes)
  const seconds = (performance.now() - began) / 1000
  await sql.end()
  return { seconds }
})
