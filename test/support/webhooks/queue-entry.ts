import { type Entry, KIND } from '../../../src/webhooks/queue/entry'

/** The `n`-th row of a webhook in the queue; the account's name is part of the webhook's id. */
export const queueEntry = (
  account: string,
  webhook: string,
  n: number,
  kind: number = KIND.first,
): Entry => ({
  accountId: account,
  webhookId: `${account}-${webhook}`,
  kind,
  sequence: kind === KIND.inOrder ? n : 0,
  id: `dlv_${String(n).padStart(6, '0')}`,
})
