import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { runArden } from '../support/process'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

/** `arden trigger`, and the commands that show and redeliver events. */

const arden = await useArden({ serve: true, worker: true })
const key = (await arden.key({ mode: 'test' })).key

const command = (args: string[]) => runArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url })

test.each([
  'article.created',
  'article.updated',
  'article.deleted',
  'keyword.created',
  'keyword.ranked',
  'generation.started',
  'generation.completed',
  'generation.failed',
])('%s can be triggered', async type => {
  const { code, stdout, stderr } = await command(['trigger', type])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(type)
})

test('an event is shown with its deliveries, failed deliveries are listed, and the event is redelivered', async () => {
  const receiver = startReceiver()
  const api = client(arden.url, key)
  const webhook = (
    await api.post('/webhooks', { url: `${receiver.url}/hook`, events: ['article.created'] })
  ).body.data
  const event = JSON.parse((await command(['trigger', 'article.created', '--json'])).stdout)
  await until('it is delivered', async () => {
    const { stdout } = await command(['deliveries', 'list', '--status', 'DELIVERED'])
    return stdout.includes(webhook.id)
  })
  const shown = await command(['events', 'show', event.id])
  expect(shown.stdout).toContain('DELIVERED')
  const again = await command(['events', 'redeliver', event.id, '--json'])
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect(JSON.parse(again.stdout)[0].webhook_id).toBe(webhook.id)
  await until('it comes again', () => receiver.received.length === 2)
  const delivery = JSON.parse(again.stdout)[0].id
  await until('that is recorded', async () => {
    const { stdout } = await command(['deliveries', 'show', delivery])
    return stdout.includes('DELIVERED') && /^2 .* 200$/m.test(stdout)
  })
  const detail = (await command(['deliveries', 'show', delivery])).stdout
  expect(detail).toEndWith('\n\nresponse body\nok\n')
  expect(await command(['deliveries', 'redeliver', delivery])).toMatchObject({
    code: 0,
    stdout: `Sending ${delivery} to ${webhook.id} again.\n`,
  })
  await until('it comes once more', () => receiver.received.length === 3)
  const failed = await command(['deliveries', 'list', '--status', 'failed', '--json'])
  expect(JSON.parse(failed.stdout)).toEqual([])
  receiver.stop()
})

test('a deleted webhook does not prevent the redelivery of an event to the others', async () => {
  const receiver = startReceiver()
  const api = client(arden.url, key)
  const made = await Promise.all(
    [1, 2, 3].map(async () => {
      const body = { url: receiver.url, events: ['keyword.created'] }
      return (await api.post('/webhooks', body)).body.data.id as string
    }),
  )
  const event = JSON.parse((await command(['trigger', 'keyword.created', '--json'])).stdout)
  await until('all have it', () => receiver.received.length === 3)
  await until('it is recorded', async () =>
    (await api.get(`/events/${event.id}`)).body.data.deliveries.every(
      (one: { status: string }) => one.status === 'DELIVERED',
    ),
  )
  const [gone = '', ...left] = made
  await api.delete(`/webhooks/${gone}`)
  const again = await command(['events', 'redeliver', event.id, '--json'])
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('1 of 3')])
  expect(again.stderr).toContain(gone)
  const sent = JSON.parse(again.stdout).map((one: { webhook_id: string }) => one.webhook_id)
  expect(sent.toSorted()).toEqual(left.toSorted())
  await until('these two come again', () => receiver.received.length === 5)
  receiver.stop()
})
