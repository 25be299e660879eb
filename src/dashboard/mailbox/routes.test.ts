import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { stopAfterTests } from '../../../test/support/stop-after-tests'
import { toErrorResponse } from '../../http/response/errors'
import { createLog } from '../../log'
import { createMailbox } from '../../mail/mailbox'
import { composeMessage } from '../../mail/message'
import { MAIL_PAGE } from '../paths'
import { mailboxRoutes } from './routes'

const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
const mailbox = createMailbox()
const app = new Elysia()
  .onError(({ error, set }) => toErrorResponse(error, set, log))
  .use(mailboxRoutes(mailbox))
  .listen({ port: 0, hostname: '127.0.0.1' })
stopAfterTests({ stop: () => app.stop() })
const open = (headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${app.server?.port}${MAIL_PAGE}`, { headers })

test('shows the emails as text, with links', async () => {
  expect(await (await open()).text()).toContain('Earlier ones are not kept: to get a link again')
  const message = composeMessage({
    subject: 'Join <b>Acme</b>',
    paragraphs: ['<script>alert(1)</script>'],
    action: { label: 'Accept', url: 'http://localhost:3000/dashboard/sign-in/link#abc' },
    note: '',
  })
  await mailbox.deliver('"<img>"@example.com', message)
  const page = await (await open()).text()
  expect(page).toContain('<a href="http://localhost:3000/dashboard/sign-in/link#abc">')
  expect(page).toContain('Join &lt;b&gt;Acme&lt;/b&gt;')
  expect(page).not.toMatch(/<script|<img|<b>/)
})

test('keeps the newest emails only', async () => {
  const message = composeMessage({
    subject: 'Newest',
    paragraphs: [],
    action: { label: '', url: '' },
    note: '',
  })
  for (let n = 0; n < 120; n++) await mailbox.deliver(`p${n}@example.com`, message)
  expect(mailbox.list().length).toBe(100)
  expect(mailbox.list()[0]?.to).toBe('p119@example.com')
})

test('is not shown through another host name, a proxy or a tunnel', async () => {
  for (const headers of [
    { host: 'evil.example.com' },
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
  ])
    expect((await open(headers)).status).toBe(404)
})
