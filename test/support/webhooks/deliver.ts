import { deliveryWorkflowId } from '../../../src/webhooks/deliveries/workflow-id'
import { type ReceivedRequest, useReceiver } from '../receiver'
import { until } from '../until'
import { useSender } from './sender'

type Responder = (request: ReceivedRequest, count: number) => Response | Promise<Response>

const ok = () => new Response('ok')

/**
 * A receiver, and a sender with a webhook for it. `newWebhook` and `deliver` add webhooks of accounts of their own,
 * each with its own responses, so that tests can wait at the same time.
 */
export const useDeliver = async (settings?: Record<string, string>) => {
  /** By path, each that of one webhook; 200 when nothing is set. */
  const responses = new Map<string, Responder>()
  const receiver = useReceiver((one, count) => (responses.get(one.path) ?? ok)(one, count))
  const sender = await useSender(`${receiver.url}/`, settings)

  const newWebhook = async (respond: Responder = ok) => {
    const path = `/${crypto.randomUUID()}`
    const respondWith = (next: Responder) => responses.set(path, next)
    respondWith(respond)
    const url = `${receiver.url}${path}?token=t`
    return { url, respondWith, ...(await sender.otherAccount(url)) }
  }
  const requests = (id: string) =>
    receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)
  return {
    receiver,
    sender,
    newWebhook,
    /** A delivery of a new webhook. */
    deliver: async (respond?: Responder) => {
      const webhook = await newWebhook(respond)
      return { ...webhook, id: await webhook.delivery() }
    },
    /** Sets the response for the sender's own webhook. */
    respondWith: (respond: Responder) => responses.set('/', respond),
    requests,
    arrived: (id: string) => until('the request arrived', () => requests(id).length === 1),
    delivered: (id: string) =>
      sender.reaches(id, 'is delivered', row => row.status === 'DELIVERED'),
    workflow: (id: string, run = 1) =>
      sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, run)),
  }
}
