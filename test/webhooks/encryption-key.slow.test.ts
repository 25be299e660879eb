import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { createCipher } from '../../src/webhooks/signing/encryption'
import { useArden } from '../support/arden'
import { type Client, client } from '../support/client'
import { runArden, spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** docs/operations.md, "Changing the encryption key", step by step, with processes of their own. */

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
const idOf = (key: string) => createCipher(Buffer.from(key, 'hex')).keyId
const running: { kill(signal: NodeJS.Signals): Promise<number> }[] = []

afterAll(() => Promise.all(running.map(process => process.kill('SIGTERM'))))
const arden = await useArden({}, { ARDEN_ENCRYPTION_KEY: OLD })
const receiver = useReceiver()

const spawn = async (role: 'serve' | 'worker', key: string) => {
  const process = await spawnArden(role, { ...arden.env, ARDEN_ENCRYPTION_KEY: key })
  running.push(process)
  return process
}
const reencrypt = (key: string) =>
  runArden(['secrets', 'reencrypt'], { ...arden.env, ARDEN_ENCRYPTION_KEY: key })

/** The ids of the keys that the secrets in the database are encrypted with. */
const keysInUse = async () => {
  const rows = await arden.sql<{ key: string }[]>`
    SELECT DISTINCT split_part(stored, '.', 2) AS key
    FROM webhooks, unnest(ARRAY[secret, previous_secret]) AS stored
    WHERE stored IS NOT NULL ORDER BY key`
  return rows.map(row => row.key)
}

/** Makes a test delivery for each webhook, and waits until all have come, rightly signed. */
const expectDelivered = async (as: Client, webhooks: { id: string; secret: string }[]) => {
  for (const { id, secret } of webhooks) {
    const { id: delivery } = (await as.post(`/webhooks/${id}/test`)).body.data
    const { headers, body } = await until('it arrives', () =>
      receiver.received.find(one => one.headers['x-webhook-delivery-id'] === delivery),
    )
    expect(await verify(secret, body, headers['x-webhook-signature'] ?? '')).toBe(true)
  }
}

test('the encryption key is changed while serving and sending go on, and each step is checked', async () => {
  const input = { url: receiver.url, events: ['article.created'] }
  const add = async (as: Client) => (await as.post('/webhooks', input)).body.data
  const { key: value } = await arden.key()
  const asOf = async (key: string) => client((await spawn('serve', key)).url, value)

  const before = await asOf(OLD)
  const first = await add(before)
  const rotated = await add(before)
  rotated.secret = (
    await before.post(`/webhooks/${rotated.id}/rotate-secret`, { overlap_seconds: 86_400 })
  ).body.data.secret
  await before.delete(`/webhooks/${(await add(before)).id}`)

  // 1. Both are known everywhere, the old one still encrypts: a process that has only the old one can still read.
  const knowsBoth = await asOf(`${OLD},${NEW}`)
  await add(knowsBoth)
  expect(await keysInUse()).toEqual([idOf(OLD)])

  // 2. The new one encrypts. A worker with both sends what either encrypted.
  await spawn('worker', `${NEW},${OLD}`)
  const turned = await asOf(`${NEW},${OLD}`)
  const fresh = await add(turned)
  expect(await keysInUse()).toEqual([idOf(OLD), idOf(NEW)].sort())
  await expectDelivered(turned, [first, rotated, fresh])

  // Too early: without the old key nothing starts yet, and the message names both by their ids.
  const early = await runArden(['serve'], { ...arden.env, ARDEN_ENCRYPTION_KEY: NEW })
  expect(early.code).toBe(1)
  expect(early.stderr).toContain(`is the key ${idOf(NEW)}, but`)
  expect(early.stderr).toContain(`with the key ${idOf(OLD)}.`)
  expect((await reencrypt(NEW)).code).toBe(1)

  const forgotten = [await spawn('serve', OLD), await spawn('worker', OLD)]
  // 3. Everything is encrypted again, previous secrets and deleted webhooks too; sending goes on.
  const done = await reencrypt(`${NEW},${OLD}`)
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toContain(`the secrets of 4 webhooks with the key ${idOf(NEW)}`)
  expect(await keysInUse()).toEqual([idOf(NEW)])
  await expectDelivered(turned, [first, rotated, fresh])
  expect((await reencrypt(`${NEW},${OLD}`)).stdout).toMatch(
    /the secrets of 0 webhooks .*\nIf that is the old key, put the new one first/,
  )

  // One that was not restarted ends: it could read nothing any more, and would store what others cannot read.
  for (const process of forgotten) {
    expect(await process.exited).toBe(1)
    expect(process.lines.at(-1)).toContain(`encrypted with the key ${idOf(NEW)}`)
  }

  // 4. The old one is gone; who has it alone is refused.
  await expectDelivered(await asOf(NEW), [first])
  const late = await runArden(['serve'], { ...arden.env, ARDEN_ENCRYPTION_KEY: OLD })
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining(idOf(NEW))])
  for (const { stdout, stderr } of [early, late, done])
    for (const key of [OLD, NEW]) expect(stdout + stderr).not.toContain(key)
})
