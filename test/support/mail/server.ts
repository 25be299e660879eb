import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { stopAfterTests } from '../stop-after-tests'
import { until } from '../until'

/** An email as a mail server received it. `recipients` are those of the envelope. */
export type ReceivedMail = { recipients: string[]; parsed: ParsedMail; raw: string }

type MailServer = {
  /** Of ARDEN_SMTP_URL. */
  url: string
  port: number
  mails: ReceivedMail[]
  /** The newest email to an address, as soon as there are `count`. */
  mailTo: (address: string, count?: number) => Promise<ReceivedMail>
  /** How it responds to the next recipients: with an error of this code, or as usual. */
  refuseWith: (code: number | undefined) => void
  stop: () => Promise<void>
}

export const useMailServer = async (options: SMTPServerOptions = {}): Promise<MailServer> =>
  stopAfterTests(await startMailServer(options))

/** A real SMTP server on a free port of 127.0.0.1, without TLS and passwords unless `options` say otherwise. */
export const startMailServer = async (options: SMTPServerOptions = {}): Promise<MailServer> => {
  const mails: ReceivedMail[] = []
  let refusal: number | undefined
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, respond) =>
      respond(
        refusal === undefined
          ? undefined
          : Object.assign(new Error('Refused by the test'), { responseCode: refusal }),
      ),
    onData: (stream, session, respond) => {
      stream.toArray().then(async chunks => {
        const raw = Buffer.concat(chunks).toString()
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ recipients, raw, parsed: await simpleParser(raw) })
        respond()
      }, respond)
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  const { port } = address
  const to = (address: string) => mails.filter(({ recipients }) => recipients.includes(address))
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    mailTo: (address, count = 1) =>
      until(`${count} emails to ${address}`, () => to(address)[count - 1]),
    refuseWith: code => {
      refusal = code
    },
    stop: () => new Promise<void>(closed => server.close(closed)),
  }
}

/** The token of the sign-in link in an email. */
export const tokenIn = ({ parsed }: ReceivedMail): string =>
  /\/dashboard\/sign-in\/link#([\w-]+)/.exec(parsed.text ?? '')?.[1] ?? ''
