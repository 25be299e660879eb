import { newId } from '../../src/ids'
import { recordEvent } from '../../src/webhooks/events/record'
import { until } from '../../test/support/until'
import type { ReceiverStatus } from '../processes/receiver'
import type { Child } from './child'
import { type Cpu, cpuPerOperation, readCpu, readSettledCpu } from './cpu'
import type { Deployment } from './deployment'
import type { Measurement } from './rounds'

export type Receiver = Child<'received', ReceiverStatus>

/** Timeout of the last delivery, in seconds. */
const WAIT_S = 1_200

/**
 * Commits `count` events at once. Measures deliveries a second, from the commit to the last DELIVERED.
 */
export const measureDelivery = async (
  deployment: Deployment,
  receiver: Receiver,
  count: number,
): Promise<Measurement> => {
  const { pids } = deployment
  const allDelivered = await watchDeliveries(deployment, receiver, count)
  let before: Cpu = {}
  const began = await commitEvents(deployment, count, async () => {
    before = await readCpu(pids)
  })
  const ended = await allDelivered()
  const cpu = cpuPerOperation(before, await readSettledCpu(pids), count)
  return { value: (count * 1000) / (ended - began), cpu }
}

/**
 * Returns the time of the commit, in ms since 1970. Uses test mode, which counts no usage: updating one usage
 * row so often in one transaction would dominate the measurement.
 */
export const commitEvents = async (
  { sql, caller, projectId }: Deployment,
  count: number,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<number> => {
  const tenant = { ...caller, mode: 'test' } as const
  await sql.begin(async tx => {
    const one = () =>
      recordEvent(tx, tenant, 'article.created', {
        article_id: newId('art'),
        project_id: projectId,
        keyword_id: null,
        title: 'Measured',
        status: 'DRAFT',
      })
    await Promise.all(Array.from({ length: count }, one))
    await beforeCommit()
  })
  const committed = Date.now()
  await sql.notify('arden_due', '')
  return committed
}

/**
 * Call it before `count` events are created. Its function resolves with the time of the last DELIVERED, in ms
 * since 1970, and rejects when a delivery FAILED. It queries PostgreSQL only after the receiver has all
 * requests, to keep the overhead low.
 */
export const watchDeliveries = async (
  { sql }: Deployment,
  receiver: Receiver,
  count: number,
): Promise<() => Promise<number>> => {
  const { received } = await receiver.run('received')
  const first = newId('dlv')
  const hasAll = async () => (await receiver.run('received')).received >= received + count
  const isDone = async () =>
    (await sql`SELECT FROM deliveries WHERE id > ${first} AND status = 'RETRYING' LIMIT 1`)
      .length === 0
  return async () => {
    await until('all deliveries are received', hasAll, WAIT_S)
    await until('all deliveries are recorded', isDone, WAIT_S)
    const [{ failed, last }] = await sql<[{ failed: number; last: Date }]>`
      SELECT count(*) FILTER (WHERE status = 'FAILED') AS failed, max(delivered_at) AS last
      FROM deliveries WHERE id > ${first}`
    if (failed > 0) throw new Error(`${failed} deliveries failed`)
    return last.getTime()
  }
}
