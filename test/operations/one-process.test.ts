import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

test('`arden serve --worker` accepts an article and delivers its event, and SIGTERM stops both parts', async () => {
  const receiver = useReceiver()
  const arden = await useArden({})
  const both = await spawnArden('serve', arden.env, { options: ['--worker'] })
  const { key } = await arden.key()
  const live = client(both.url, key)
  await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
  const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
  const { body } = await live.post('/articles', { project_id, title: 't' })
  await until('it arrived', () => receiver.received.some(one => one.body.includes(body.data.id)))
  expect(await both.kill('SIGTERM')).toBe(0)
})
