import { newId } from '../../src/ids'
import { recordEvent } from '../../src/webhooks/events/record'
import { until } from '../../test/support/until'
import type { ReceiverAnswer } from '../processes/receiver'
import type { Child } from './child'
import { type Cpu, cpuOfEach, settledCpu, usedCpu } from './cpu'
import type { Stage } from './stage'
import type { Turn } from './turns'

export type Receiver = Child<'received', ReceiverAnswer>

/** For the last delivery, in seconds. */
const WAIT_S = 1_200

/**
 * Commits `count` events at once, and answers how many of their deliveries were made a second, from the commit
 * to the last DELIVERED.
 */
export const deliver = async (stage: Stage, receiver: Receiver, count: number): Promise<Turn> => {
  const { pids } = stage
  const allDelivered = await watchDeliveries(stage, receiver, count)
  let before: Cpu = {}
  const began = await commitEvents(stage, count, async () => {
    before = await usedCpu(pids)
  })
  const ended = await allDelivered()
  const cpu = cpuOfEach(before, await settledCpu(pids), count)
  return { value: (count * 1000) / (ended - began), cpu }
}

/**
 * Answers when they were committed, in ms since 1970. In test mode, where no usage is counted: so many updates
 * of one row in one transaction would be what is measured.
 */
export const commitEvents = async (
  { sql, caller, projectId }: Stage,
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
 * To be called before `count` events are made. What it answers resolves with when the last one was DELIVERED, in
 * ms since 1970, and rejects when one FAILED. Postgres is asked only when the receiver has had as many as that:
 * looking takes from what is measured.
 */
export const watchDeliveries = async (
  { sql }: Stage,
  receiver: Receiver,
  count: number,
): Promise<() => Promise<number>> => {
  const { received } = await receiver.ask('received')
  const first = newId('dlv')
  const hasAll = async () => (await receiver.ask('received')).received >= received + count
  const isDone = async () =>
    (await sql`SELECT FROM deliveries WHERE id > ${first} AND status = 'RETRYING' LIMIT 1`)
      .length === 0
  return async () => {
    await until('everything has arrived', hasAll, WAIT_S)
    await until('everything is recorded', isDone, WAIT_S)
    const [{ failed, last }] = await sql<[{ failed: number; last: Date }]>`
      SELECT count(*) FILTER (WHERE status = 'FAILED') AS failed, max(delivered_at) AS last
      FROM deliveries WHERE id > ${first}`
    if (failed > 0) throw new Error(`${failed} deliveries failed`)
    return last.getTime()
  }
}
