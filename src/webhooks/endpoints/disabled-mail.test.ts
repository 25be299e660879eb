import { expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { createSample } from '../../../test/support/webhooks/sample'
import type { QueuedMail } from '../../mail/queue'
import { ensurePerson, updatePerson } from '../../people/store'
import { disableIfFailing } from './auto-disable'
import { composeWebhookDisabled } from './disabled-mail'

const { sql } = await useDatabase()
const { webhookId } = await createSample(sql, 'https://hooks.example.com/in?token=secret')
const [{ account_id: accountId }] = await sql<[{ account_id: string }]>`
  SELECT account_id FROM webhooks WHERE id = ${webhookId}`
const cli = { accountId, actor: { type: 'cli', id: 't', name: 't' }, address: null } as const
const [ada, bob] = await sql.begin(async tx => [
  await ensurePerson(tx, accountId, 'ada@example.com', 'owner'),
  await ensurePerson(tx, accountId, 'bob@example.com', 'owner'),
  await ensurePerson(tx, accountId, 'member@example.com', 'member'),
])
const compose = composeWebhookDisabled(sql, 'https://arden.example.com/')
const mails = () => sql<QueuedMail[]>`
  SELECT id, kind, recipient, link_id, data, 1 AS attempt FROM mails ORDER BY id`
const fail = () =>
  sql`UPDATE webhooks SET failing_since = now() - interval '6 days' WHERE id = ${webhookId}`
const disable = (sendsMail: boolean) =>
  disableIfFailing(sql, webhookId, { afterDays: 5, sendsMail })

test('owners get one email when their webhook is disabled, with its host and no secret of its URL', async () => {
  await fail()
  await disable(true)
  await disable(true)
  const [first, second, ...others] = await mails()
  expect([first?.recipient, second?.recipient, others]).toEqual([
    'ada@example.com',
    'bob@example.com',
    [],
  ])
  const message = first && (await compose(first))
  expect(message?.subject).toBe('Webhook disabled: hooks.example.com')
  expect(message?.text).toContain('every delivery failed for 5 days')
  expect(message?.text).toContain(`https://arden.example.com/dashboard/live/webhooks/${webhookId}`)
  expect(JSON.stringify(message)).not.toContain('secret')
})

test('no email is sent to one who is no owner any more, or once the webhook is enabled', async () => {
  const [first, second] = await mails()
  await sql.begin(tx => updatePerson(tx, cli, bob ?? '', { role: 'viewer' }))
  expect(second && (await compose(second))).toBeUndefined()
  await sql`UPDATE webhooks SET enabled = true, disabled_reason = NULL WHERE id = ${webhookId}`
  expect(first && (await compose(first))).toBeUndefined()
  expect(ada).toStartWith('usr_')
})

test('without email settings none is queued', async () => {
  await sql`DELETE FROM mails`
  await fail()
  await disable(false)
  const [webhook] = await sql`SELECT enabled FROM webhooks WHERE id = ${webhookId}`
  expect(webhook?.enabled).toBe(false)
  expect([...(await mails())]).toEqual([])
})
