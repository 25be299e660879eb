import { afterEach } from 'bun:test'
import { deliveryWorkflowId } from '../../../src/webhooks/deliveries/workflow-id'
import { useReceiver } from '../receiver'
import { until } from '../until'
import { type Sender, useSender } from './sender'

type Respond = (count: number) => Response | Promise<Response>

/** A receiver, and a sender with 40 slots whose first attempts have no workflow. The worker of a test stops after it. */
export const useLane = async () => {
  let worker: Awaited<ReturnType<Sender['work']>> | undefined
  /** The next response of the receiver, 200 by default. */
  let respond: Respond = () => new Response('ok')
  const receiver = useReceiver((_, count) => respond(count))
  const sender = await useSender(receiver.url, {
    ARDEN_WORKFLOWS: 'on-retry',
    ARDEN_IN_FLIGHT: '40',
  })
  afterEach(async () => {
    respond = () => new Response('ok')
    await worker?.stop()
    worker = undefined
  })

  const work = async () => {
    worker = await sender.work()
  }
  const deliver = async (next: Respond = () => new Response('ok')) => {
    respond = next
    const [id = ''] = await sender.deliveries(1)
    return id
  }
  const requests = (id: string) =>
    receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)
  const arrived = (id: string) => until('the request arrived', () => requests(id).length === 1)
  const delivered = (id: string) =>
    sender.reaches(id, 'is delivered', row => row.status === 'DELIVERED')
  const workflow = (id: string) =>
    sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1))
  const inProgress = async () =>
    (await sender.sql<{ delivery_ids: string[] }[]>`SELECT delivery_ids FROM lanes`).flatMap(
      one => one.delivery_ids,
    )
  return {
    receiver,
    sender,
    work,
    deliver,
    respondWith: (next: Respond) => {
      respond = next
    },
    requests,
    arrived,
    delivered,
    workflow,
    /** The deliveries that lanes have claimed. */
    inProgress,
  }
}
