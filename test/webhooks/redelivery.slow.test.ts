import { expect, test } from 'bun:test'
import { startArden } from '../support/arden'
import { LANES, settingsOf } from '../support/lanes'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { makeArticles, settled, subscribe } from '../support/webhooks/webhooks'

// Contract 5.13.

const receiver = useReceiver()

test.each(LANES)(
  'with a workflow %s, a bulk redelivery is sent although the process that accepted it was killed',
  async lane => {
    const apart = await startArden({ serve: true }, settingsOf(lane))
    const as = await apart.client()
    const hook = await subscribe(as, receiver.url)
    await as.patch(`/webhooks/${hook.id}`, { enabled: false })
    await makeArticles(as, 3)
    await as.patch(`/webhooks/${hook.id}`, { enabled: true })
    const serve = await spawnArden('serve', apart.env)
    const answer = await fetch(`${serve.url}/api/public/v1/webhooks/${hook.id}/redeliver`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${(await apart.key()).key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status: 'FAILED' }),
    })
    expect(await answer.json()).toEqual({ data: { count: 3 } })
    await serve.kill('SIGKILL')
    const worker = await spawnArden('worker', apart.env)
    const all = await settled(as, hook, 3)
    expect(all.map(one => one.status)).toEqual(Array(3).fill('DELIVERED'))
    await worker.kill('SIGTERM')
    await apart.stop()
  },
)
