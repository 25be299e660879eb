/** The workflows of a version that waits before each delivery: today's code does not match the histories they write. */
import { sleep } from '@temporalio/workflow'
import {
  type DeliverWebhookInput,
  deliverWebhook as today,
} from '../../../workflows/deliver-webhook'

export { expire, generateArticle, trackRankings } from '../../../workflows'

export const deliverWebhook = async (delivery: DeliverWebhookInput) => {
  await sleep('3 seconds')
  return await today(delivery)
}
