import type { Bench } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import { measureDelivery } from './parts/events'
import { ratioAtLeast } from './parts/goal'
import { alternate, toFigure } from './parts/rounds'
import type { ReceiverStatus } from './processes/receiver'

/** Deliveries whose deleted rows the snapshot keeps, before those that are measured. */
const BEFORE = 100_000
const DRAINED = 20_000

/** A `pg_dump`, or any other snapshot that is held for long, must not slow deliveries down. */
export const heldSnapshot: Bench = {
  name: 'held-snapshot',
  product: `draining deliveries while a snapshot is held, since ${BEFORE.toLocaleString('en')} deliveries ago`,
  baseline: 'the same without a snapshot',
  run: async ({ servers, rounds, amount }) => {
    await using free = await createDeployment(servers)
    await using held = await createDeployment(servers)
    const receiver = held.child<'received', ReceiverStatus>('receiver')
    const { url } = await receiver.run('received')
    const drainOf = (deployment: Deployment) => () =>
      measureDelivery(deployment, receiver, amount(DRAINED))
    for (const deployment of [free, held]) {
      await deployment.webhook(url)
      await deployment.worker('on-retry')
    }
    const release = await holdSnapshot(held)
    for (const deployment of [free, held])
      await measureDelivery(deployment, receiver, amount(BEFORE))
    const done = await alternate(rounds, drainOf(free), drainOf(held))
    await release()
    const goal = ratioAtLeast(0.85)
    return [toFigure(done, { variant: 'drain, on-retry', unit: 'deliveries/s', goal })]
  },
}

/** Holds a snapshot, as a `pg_dump` does, until the returned function is called. */
const holdSnapshot = async ({ sql }: Deployment): Promise<() => Promise<void>> => {
  const connection = await sql.reserve()
  await connection`SET idle_in_transaction_session_timeout = 0`
  await connection`BEGIN ISOLATION LEVEL REPEATABLE READ`
  await connection`SELECT 1`
  return async () => {
    await connection`COMMIT`
    connection.release()
  }
}
