import { beforeEach, expect, test } from 'bun:test'
import pino from 'pino'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import { until } from '../../test/support/until'
import { createAccount } from '../accounts/store'
import { createLog, type Log } from '../log'
import { createLink } from '../people/sign-in-links'
import { type QueuedMail, queueMail } from './queue'
import { type ComposeMail, runMailSender, sendBatch } from './sender'
import { type DeliverMail, RefusedRecipient } from './smtp'

const { sql } = await useDatabase()
beforeEach(async () => {
  await sql`DELETE FROM mails`
  outcomes.length = 0
})

const MESSAGE = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
const silent = createLog({ logLevel: 'fatal', logFormat: 'json' })
const outcomes: string[] = []
const meter = { recordEmail: (outcome: string) => void outcomes.push(outcome) }
const queue = (recipient: string, hours = 1) =>
  sql.begin(tx => queueMail(tx, { kind: 'password_reset', recipient, hours }))
const send = (
  deliver: DeliverMail,
  compose: ComposeMail = async () => MESSAGE,
  log: Log = silent,
  onUnsentLink = async (_link: string, _reason: string) => {},
) =>
  sendBatch({
    sql,
    log,
    meter,
    deliver,
    compose: { invitation: compose, password_reset: compose, webhook_disabled: compose },
    onUnsentLink,
  })
const waiting = () =>
  sql<{ recipient: string; attempts: number; error: string | null; seconds: number }[]>`
    SELECT recipient, attempts, error, extract(epoch FROM due_at - clock_timestamp())::int AS seconds
    FROM mails ORDER BY id`
const timePasses = () => sql`UPDATE mails SET due_at = clock_timestamp()`

test('an email of a transaction that is rolled back is not sent', async () => {
  await sql
    .begin(async tx => {
      await queueMail(tx, { kind: 'password_reset', recipient: 'a@example.com', hours: 1 })
      throw new Error('rolled back')
    })
    .catch(() => {})
  expect([...(await waiting())]).toEqual([])
})

test('several workers send each email once', async () => {
  const recipients = Array.from({ length: 12 }, (_, n) => `p${n}@example.com`)
  for (const recipient of recipients) await queue(recipient)
  const sent: string[] = []
  const deliver: DeliverMail = async to => {
    sent.push(to)
  }
  while ((await waiting()).length > 0)
    await Promise.all([send(deliver), send(deliver), send(deliver)])
  expect(sent.sort()).toEqual(recipients.sort())
})

test('an email that fails is sent later, each time after a longer pause', async () => {
  await queue('a@example.com')
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(await settled(send(() => Promise.reject(new Error('451 later\u0000'))))).toThrow('451')
    const [mail] = await waiting()
    expect(mail).toMatchObject({ attempts: attempt, error: '451 later' })
    pauses.push(mail?.seconds ?? 0)
    expect(await send(() => Promise.reject(new Error('it is not due')))).toBe('idle')
    await timePasses()
  }
  expect(pauses).toEqual([10, 20, 40])
  const sent: string[] = []
  expect(await send(async to => void sent.push(to))).toBe('done')
  expect(sent).toEqual(['a@example.com'])
  expect([...(await waiting())]).toEqual([])
  expect(await send(async to => void sent.push(to))).toBe('empty')
})

test('the log says that emails are sent again when one was, and logs the next failure', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(JSON.parse(line).msg) })
  const stopping = new AbortController()
  let problem: string | undefined = 'connect ECONNREFUSED'
  let text: typeof MESSAGE | undefined = MESSAGE
  const compose = async () => text
  const running = runMailSender(
    {
      sql,
      log,
      meter,
      deliver: async () => {
        if (problem !== undefined) throw new Error(problem)
      },
      compose: { invitation: compose, password_reset: compose, webhook_disabled: compose },
      onUnsentLink: async () => {},
    },
    stopping.signal,
  )
  const says = (start: string) => until(start, () => lines.at(-1)?.startsWith(start))
  await queue('a@example.com')
  await says('Sending emails: connect ECONNREFUSED.')
  text = undefined
  await timePasses()
  await says('Sending emails: nothing waits any more.')
  text = MESSAGE
  problem = 'it is down'
  await queue('b@example.com')
  await says('Sending emails: it is down.')
  problem = undefined
  await timePasses()
  await says('Sending emails: available again.')
  stopping.abort()
  await running
  expect(lines.length).toBe(4)
}, 60_000)

test('an email whose link has ended says nothing about the mail server', async () => {
  await queue('a@example.com')
  const sent: string[] = []
  const withoutText = async (_: QueuedMail) => undefined
  expect(await send(async to => void sent.push(to), withoutText)).toBe('empty')
  expect(sent).toEqual([])
  expect([...(await waiting())]).toEqual([])
})

test('an email whose worker dies while it is sent is sent by another when the lease ends', async () => {
  await queue('a@example.com')
  const begun = Promise.withResolvers<void>()
  const death = Promise.withResolvers<void>()
  const hanging = send(() => {
    begun.resolve()
    return death.promise
  })
  await begun.promise
  await send(() => Promise.reject(new Error('another has it')))
  expect((await waiting())[0]).toMatchObject({ attempts: 1, error: null })
  await timePasses()
  const sent: string[] = []
  await send(async to => void sent.push(to))
  expect(sent).toEqual(['a@example.com'])
  death.reject(new Error('killed'))
  expect(await settled(hanging)).toThrow('killed')
})

test('one email that fails delays no other', async () => {
  await queue('bad@example.com')
  await queue('good@example.com')
  const sent: string[] = []
  const deliver: DeliverMail = async to => {
    if (to === 'bad@example.com') throw new Error('451 later')
    sent.push(to)
  }
  expect(await settled(send(deliver))).toThrow('451')
  expect(sent).toEqual(['good@example.com'])
  expect(outcomes).toEqual(['sent'])
})

test('an email that is refused for good or has expired is not tried again', async () => {
  await queue('refused@example.com')
  await send(() => Promise.reject(new RefusedRecipient('550 no such user')))
  await queue('expired@example.com', 0)
  await send(() => Promise.reject(new Error('it has expired')))
  expect([...(await waiting())]).toEqual([])
  expect(outcomes).toEqual(['refused', 'expired'])
})

test('no address of a recipient is in the log, also where the mail server repeats it', async () => {
  const lines: string[] = []
  const text = 'RCPT TO:<ada@example.com>: Recipient address rejected: ada@example.com is unknown'
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  await queue('ada@example.com')
  expect(
    await settled(send(() => Promise.reject(new Error(`451 ${text}`)), undefined, log)),
  ).toThrow('451 RCPT TO:<[address]>: Recipient address rejected: [address] is unknown')
  expect((await waiting())[0]?.error).not.toContain('ada@')
  await timePasses()
  await send(() => Promise.reject(new RefusedRecipient(`550 ${text}`)), undefined, log)
  expect(lines.join('')).toContain('Email not sent: 550 RCPT TO:<[address]>')
  expect(lines.join('')).not.toContain('ada@')
})

test('owners read what the server says of the address, and nothing about the server', async () => {
  await sql.begin(async tx => {
    const actor = { type: 'cli', id: 'tests', name: 'tests' } as const
    const { id: accountId } = await createAccount(tx, actor, 'Acme')
    const recipient = 'a@example.com'
    const target = { role: 'viewer', email: recipient } as const
    const { id: linkId } = await createLink(tx, { accountId, actor }, target, 'invitation', 1)
    await queueMail(tx, { kind: 'invitation', recipient, linkId, hours: 1 })
  })
  const shown: string[] = []
  const failWith = async (error: Error) => {
    const note = async (_: string, reason: string) => void shown.push(reason)
    await send(() => Promise.reject(error), undefined, silent, note).catch(() => {})
    await timePasses()
  }
  await failWith(new Error('connect ECONNREFUSED 10.0.0.5:25'))
  const greylisted = { responseCode: 450, command: 'RCPT TO' }
  await failWith(Object.assign(new Error('450 Try again later'), greylisted))
  expect(shown).toEqual([
    'It is sent when a retry succeeds: it could not be sent. The reason is in the logs of the operator',
    'It is sent when a retry succeeds: 450 Try again later',
  ])
})
