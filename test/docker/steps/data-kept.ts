import type { Check } from '../check'
import { ready } from '../operator'
import { firstWebhook } from './first-webhook'

/** What was there before `down` is there after `up`, and events are delivered again. */
export const dataKept = async (check: Check): Promise<void> => {
  const { operator, api, say } = check
  const articles = async () =>
    (await api.get('/articles')).body.data.map(({ id }: { id: string }) => id)
  const before = await articles()
  await operator.run('docker compose down')
  const began = performance.now()
  await operator.run('docker compose up --detach')
  await ready(operator)
  say(`ready ${((performance.now() - began) / 1000).toFixed(0)} s after up`)
  const after = await articles()
  if (before.length === 0 || !Bun.deepEquals(before, after))
    throw new Error(`Articles before: ${before}; after: ${after}.`)
  await firstWebhook(check)
}
