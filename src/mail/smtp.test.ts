import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useMailServer } from '../../test/support/mail/server'
import { createAuthority } from '../../test/support/network/certificates'
import { fc } from '../../test/support/property'
import { settled } from '../../test/support/settled'
import { composeMessage } from './message'
import { createSmtp, RefusedRecipient } from './smtp'

const FROM = { name: 'Arden', address: 'arden@example.com' }
const server = await useMailServer()
const smtpTo = (port: number, host = '127.0.0.1', auth?: { user: string; pass: string }) =>
  createSmtp({ smtp: { host, port, isTls: false, auth }, from: FROM })
const { deliver } = smtpTo(server.port)
const MESSAGE = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

/** Texts that would add a header, a recipient, an element or a command. */
const Hostile = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    'a\r\nBcc: victim@example.com',
    'a\nSubject: other\n\nbody',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\r\n.\r\nMAIL FROM:<x@example.com>',
    '=?utf-8?q?=0D=0ABcc:_victim@example.com?=',
    '\u2028Bcc: victim@example.com',
  ),
)

test('text of users adds no header, no recipient and no element', async () => {
  await fc.assert(
    fc.asyncProperty(Hostile, Hostile, async (name, text) => {
      server.mails.length = 0
      const message = composeMessage({
        subject: `Join ${name}`,
        paragraphs: [text],
        action: { label: name, url: 'https://arden.example.com/dashboard' },
        note: text,
      })
      await deliver('ada@example.com', message)
      const [mail, ...others] = server.mails
      expect(others).toEqual([])
      expect(mail?.recipients).toEqual(['ada@example.com'])
      expect([...(mail?.parsed.headers.keys() ?? [])].sort()).toEqual([
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ])
      expect(mail?.parsed.from?.text).toBe('"Arden" <arden@example.com>')
      expect(await elementsOf(message.html)).toEqual(['html', 'body', 'div', 'p', 'p', 'a', 'p'])
    }),
    { numRuns: 20 },
  )
}, 60_000)

/** The elements that a parser of HTML finds. */
const elementsOf = async (html: string): Promise<string[]> => {
  const found: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element: ({ tagName }) => void found.push(tagName),
  })
  await rewriter.transform(new Response(html)).text()
  return found
}

test('sends nothing to an address that a mail server would read as another one, or as two', async () => {
  server.mails.length = 0
  for (const address of [
    'ada,victim@example.com',
    'ada<victim@example.com',
    'ada;victim@example.com',
    'a"b@example.com',
    'ada@example.com\r\nRCPT TO:<victim@example.com>',
  ])
    expect(await settled(deliver(address, MESSAGE))).toThrow(RefusedRecipient)
  expect(server.mails).toEqual([])
})

test('a recipient that the server refuses for good is an error of its own, unlike a failure that passes', async () => {
  server.refuseWith(550)
  expect(await settled(deliver('bob@example.com', MESSAGE))).toThrow(RefusedRecipient)
  server.refuseWith(451)
  const failed = await deliver('bob@example.com', MESSAGE).catch(error => error)
  expect(failed).toBeInstanceOf(Error)
  expect(failed).not.toBeInstanceOf(RefusedRecipient)
  server.refuseWith(undefined)
})

test('sends no password to another machine without TLS, and nothing with a certificate that is not valid', async () => {
  const credentials: string[] = []
  const options = {
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username = '' }, _session, respond) => {
      credentials.push(username)
      respond(null, { user: username })
    },
  } satisfies Parameters<typeof useMailServer>[0]
  const auth = { user: 'arden', pass: 'secret' }
  const plain = await useMailServer({ ...options, disabledCommands: ['STARTTLS'] })
  // By another name than those of this machine.
  expect(
    await settled(smtpTo(plain.port, '0.0.0.0', auth).deliver('a@example.com', MESSAGE)),
  ).toThrow()
  // The server's own certificate, that no authority has signed.
  const selfSigned = await useMailServer({ ...options, disabledCommands: [] })
  expect(
    await settled(smtpTo(selfSigned.port, '0.0.0.0', auth).deliver('a@example.com', MESSAGE)),
  ).toThrow(/certificate/)
  expect(credentials).toEqual([])
  expect([...plain.mails, ...selfSigned.mails]).toEqual([])

  await smtpTo(plain.port, '127.0.0.1', auth).deliver('a@example.com', MESSAGE)
  expect(credentials).toEqual(['arden'])
})

test('uses STARTTLS of a mail server on this machine, whose certificate no authority has signed', async () => {
  const wasSecure: boolean[] = []
  const { port, mails } = await useMailServer({
    authOptional: false,
    disabledCommands: [],
    onAuth: ({ username }, { secure }, respond) => {
      wasSecure.push(secure)
      respond(null, { user: username })
    },
  })
  for (const host of ['localhost', '127.0.0.1']) {
    const smtp = smtpTo(port, host, { user: 'arden', pass: 'secret' })
    await smtp.verify()
    await smtp.deliver('ada@example.com', MESSAGE)
  }
  expect(mails).toHaveLength(2)
  expect(new Set(wasSecure)).toEqual(new Set([true]))
})

test('one on this machine that cannot begin TLS gets no password, and email where it needs none', async () => {
  const answers: Record<string, string> = {
    EHLO: '250-localhost\r\n250-STARTTLS\r\n250 AUTH PLAIN',
    STARTTLS: '454 TLS not available',
    DATA: '354 Go on',
    QUIT: '221 Bye',
  }
  const received: string[] = []
  const broken = createServer(socket => {
    socket.write('220 localhost\r\n')
    socket.on('error', () => {})
    socket.on('data', data => {
      const text = data.toString()
      const [verb = ''] = text.trim().split(/\s/)
      received.push(verb)
      const isMail = text.includes('Subject:') && !text.endsWith('\r\n.\r\n')
      if (!isMail) socket.write(`${answers[verb] ?? '250 OK'}\r\n`)
    })
  }).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const { port } = broken.address() as AddressInfo
  const signingIn = smtpTo(port, 'localhost', { user: 'arden', pass: 'secret' })
  expect(await settled(signingIn.verify())).toThrow(/STARTTLS/)
  const refused = settled(signingIn.deliver('ada@example.com', MESSAGE))
  expect(await refused).toThrow(/STARTTLS/)
  expect(await refused).not.toThrow(RefusedRecipient)
  expect(received).not.toContain('AUTH')
  await smtpTo(port, 'localhost').deliver('ada@example.com', MESSAGE)
  expect(received).toContain('DATA')
  broken.close()
})

test('an URL with the scheme of the other port is refused with the one that is needed', async () => {
  const [startTls, tls] = [
    await useMailServer({ disabledCommands: [] }),
    await useMailServer({ secure: true }),
  ]
  const smtp = { host: '127.0.0.1', auth: undefined }
  const withTls = createSmtp({ smtp: { ...smtp, port: startTls.port, isTls: true }, from: FROM })
  const withoutTls = createSmtp(
    { smtp: { ...smtp, port: tls.port, isTls: false }, from: FROM },
    2_000,
  )
  for (const attempt of ['verify', 'deliver'] as const) {
    const run = ({ verify, deliver }: typeof withTls) =>
      settled<unknown>(attempt === 'verify' ? verify() : deliver('ada@example.com', MESSAGE))
    expect(await run(withTls)).toThrow(/does not begin with TLS\. .* write smtp:\/\//)
    expect(await run(withoutTls)).toThrow(/sent no greeting within 2 s\. .* write smtps:\/\//)
  }
}, 30_000)

test('checks a server in one connection: some delay their greeting', async () => {
  let connections = 0
  const slow = await useMailServer({
    onConnect: (_session, respond) => {
      connections++
      respond()
    },
    onAuth: ({ username }, _session, respond) => respond(null, { user: username }),
  })
  const auth = { user: 'arden', pass: 'secret' }
  expect(await smtpTo(slow.port, '127.0.0.1', auth).verify()).toBe(true)
  expect(connections).toBe(1)
})

test('knows a server that offers no sign-in from one that refuses the password', async () => {
  const [without, refusing] = [
    await useMailServer({ disabledCommands: ['AUTH', 'STARTTLS'] }),
    await useMailServer({
      onAuth: (_auth, _session, respond) => respond(new Error('wrong password')),
    }),
  ]
  const auth = { user: 'arden', pass: 'secret' }
  expect(await smtpTo(server.port).verify()).toBe(true)
  expect(await smtpTo(without.port, '127.0.0.1', auth).verify()).toBe(false)
  expect(await settled(smtpTo(refusing.port, '127.0.0.1', auth).verify())).toThrow('wrong password')
})

test('sends with STARTTLS, and the password only then, where the authority of the certificate is trusted', async () => {
  const authority = await createAuthority('Authority of the mail server')
  const ca = join(await mkdtemp(join(tmpdir(), 'arden-smtp-')), 'ca.crt')
  await Bun.write(ca, authority.cert)
  const wasSecure: boolean[] = []
  const { port, mails } = await useMailServer({
    ...(await authority.issue('mail', 'server', [{ type: 'ip', value: '0.0.0.0' }])),
    authOptional: false,
    disabledCommands: [],
    onAuth: ({ username, password }, { secure }, respond) => {
      wasSecure.push(secure)
      if (username === 'arden' && password === 'secret') respond(null, { user: username })
      else respond(new Error('wrong password'))
    },
  })
  /** Sends by another name than those of this machine, in a process of its own: authorities are read when one starts. */
  const send = async (env: Record<string, string>) => {
    const smtp = { host: '0.0.0.0', port, isTls: false, auth: { user: 'arden', pass: 'secret' } }
    const script = `
      import { createSmtp } from ${JSON.stringify(join(import.meta.dir, 'smtp'))}
      await createSmtp(${JSON.stringify({ smtp, from: FROM })}).deliver('ada@example.com', ${JSON.stringify(MESSAGE)})`
    const child = Bun.spawn([process.execPath, '-e', script], {
      stderr: 'pipe',
      env: { PATH: process.env.PATH ?? '', ...env },
    })
    const errors = await child.stderr.text()
    return { code: await child.exited, errors }
  }
  const refused = await send({})
  expect([refused.code, wasSecure, mails]).toEqual([1, [], []])
  expect(refused.errors).toContain('certificate')
  expect(await send({ NODE_EXTRA_CA_CERTS: ca })).toEqual({ code: 0, errors: '' })
  expect(wasSecure).toEqual([true])
  expect(mails.map(({ recipients, parsed }) => [recipients, parsed.subject])).toEqual([
    [['ada@example.com'], 'Hello'],
  ])
})
