import { afterAll } from 'bun:test'
import { deliveryWorkflowId } from '../../../src/webhooks/deliveries/workflow-id'
import { type Lane, settingsOf } from '../lanes'
import { useReceiver } from '../receiver'
import { expectWaits } from './attempt'
import { type Sender, startSender } from './sender'

const RECEIVERS = {
  recovers: count =>
    new Response(`response ${count}`, { status: [500, 503, 200][count - 1] ?? 500 }),
  fails: count => new Response(`response ${count}`, { status: 500 }),
  redirects: () => new Response('', { status: 302, headers: { location: '/elsewhere' } }),
  'never-responds': () => new Promise<Response>(() => {}),
} satisfies Record<string, (count: number) => Response | Promise<Response>>

/** Receivers that fail in the ways of contract 5.3. */
export const useFailingReceivers = () => {
  const receivers: Record<string, (count: number) => Response | Promise<Response>> = RECEIVERS
  const receiver = useReceiver(
    (one, count) => receivers[one.path.slice(1)]?.(count) ?? new Response(),
  )
  const senders: Sender[] = []
  afterAll(() => Promise.all(senders.map(sender => sender.stop())))

  /** Delivers to the receiver `name`, and returns what there is to see of it when the delivery is final. */
  const deliverTo = async (lane: Lane, name: keyof typeof RECEIVERS, attemptLimit = 3) => {
    const sender = await startSender(`${receiver.url}/${name}`, settingsOf(lane))
    senders.push(sender)
    const [id = ''] = await sender.deliveries(1)
    await sender.sql`UPDATE deliveries SET attempt_limit = ${attemptLimit} WHERE id = ${id}`
    await sender.work()
    const row = await sender.reaches(id, 'is final', one => one.status !== 'RETRYING', 180)
    const requests = receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)
    const attempts =
      await sender.sql`SELECT * FROM all_attempts WHERE delivery_id = ${id} ORDER BY number`
    const workflow = sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1))
    return {
      id,
      row,
      requests,
      attempts,
      /** The result of the workflow, or the message of its failure. */
      result: () => workflow.result().catch(error => error.cause?.message),
      expectSchedule: () => expectWaits(sender.sql, id, [5_000, 25_000], workflow),
    }
  }
  return { receiver, deliverTo }
}
