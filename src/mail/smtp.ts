import { isMailAddress, type MailConfig } from '../config/mail'
import type { Message } from './message'

/** Sends an email to one address. Rejects with `RefusedRecipient` when another try would be refused as well. */
export type DeliverMail = (to: string, message: Message) => Promise<void>

/** The mail server does not accept the address. */
export class RefusedRecipient extends Error {
  override name = 'RefusedRecipient'
}

/** In ms: a step of a conversation with the mail server. Some delay their greeting. */
const TIMEOUT_MS = 15_000

/**
 * Sends through an SMTP server. Without TLS only to this machine, or where the server offers none and needs no password.
 * Certificates are verified, except those for STARTTLS on this machine. `timeoutMs` is for one step of the conversation.
 */
export const createSmtp = ({ smtp, from }: MailConfig, timeoutMs = TIMEOUT_MS) => {
  const transport = createTransport(smtp, timeoutMs)
  const deliver: DeliverMail = async (to, { subject, text, html }) => {
    // The library would send to each address in it.
    if (!isMailAddress(to)) throw new RefusedRecipient('it is not an email address')
    try {
      await (await transport).sendMail({
        from,
        to: { name: '', address: to },
        envelope: { from: from.address, to: [to] },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    } catch (error) {
      throw isRefused(error)
        ? new RefusedRecipient(responseOf(error), { cause: error })
        : explained(error, timeoutMs)
    }
  }
  return {
    deliver,
    /**
     * Connects, and signs in where a password is set. False where the server offers no sign-in: it may take emails
     * without, as the library then sends them.
     * @throws the reason why emails could not be sent.
     */
    verify: (): Promise<boolean> =>
      signIn(smtp, timeoutMs).catch(error => {
        throw explained(error, timeoutMs)
      }),
  }
}

/** Lazy: most processes send no email. */
const createTransport = async (smtp: MailConfig['smtp'], timeoutMs: number) => {
  const { createTransport } = await import('nodemailer')
  const { auth } = smtp
  return createTransport({
    ...connectionOptions(smtp, timeoutMs),
    ...(auth !== undefined && { auth }),
    // A message never names a file or a URL whose content is then sent.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

const connectionOptions = ({ host, port, isTls, auth }: MailConfig['smtp'], timeoutMs: number) => {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)
  return {
    // The library asks a name server for `localhost`, which could name another machine.
    host: isTls ? host : host.replace(/^localhost$/i, '127.0.0.1'),
    port,
    secure: isTls,
    ...(!isTls && (isLocal ? localTls(auth) : { requireTLS: auth !== undefined })),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    // Later than that of the greeting, whose error says more. Both begin with the connection.
    socketTimeout: timeoutMs + 1_000,
  }
}

/** In one connection, because the check of the library accepts a server that offers no sign-in. */
const signIn = async (smtp: MailConfig['smtp'], timeoutMs: number): Promise<boolean> => {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  const { auth } = smtp
  const connection = new SMTPConnection(connectionOptions(smtp, timeoutMs))
  const done = Promise.withResolvers<boolean>()
  connection.once('error', done.reject)
  connection.once('end', () => done.reject(new Error('the server closed the connection')))
  connection.connect(error => {
    if (error) done.reject(error)
    else if (auth === undefined) done.resolve(true)
    else if (!connection.allowsAuth) done.resolve(false)
    else
      connection.login({ credentials: auth }, error =>
        error ? done.reject(error) : done.resolve(true),
      )
  })
  return done.promise.finally(() => connection.close())
}

/**
 * STARTTLS where a mail server on this machine offers it: some take a password only then. Their certificates are signed
 * by no authority, and there is no network between. Without a password, one that fails to begin TLS is used without.
 */
const localTls = (auth: MailConfig['smtp']['auth']) => ({
  opportunisticTLS: auth === undefined,
  tls: { rejectUnauthorized: false },
})

/** The scheme of ARDEN_SMTP_URL is often that of the other port; the library names neither. */
const explained = (error: unknown, timeoutMs: number): unknown => {
  const text = error instanceof Error ? error.message : ''
  if (/WRONG_VERSION_NUMBER/i.test(text))
    return new Error(
      'the port does not begin with TLS. For STARTTLS, as on port 587, write smtp:// instead of smtps://',
    )
  if (text.startsWith('Greeting never received'))
    return new Error(
      `the server sent no greeting within ${timeoutMs / 1000} s. If the port begins with TLS, as port 465 does, write smtps:// instead of smtp://`,
    )
  return error
}

/** The line of the mail server, such as "550 5.1.1 User unknown". */
const responseOf = (error: Error): string =>
  'response' in error ? String(error.response) : error.message

/** A refusal of the recipient, not of Arden's user and password. */
export const isAboutRecipient = (error: unknown): error is Error & { responseCode: unknown } =>
  error instanceof Error &&
  'responseCode' in error &&
  'command' in error &&
  error.command === 'RCPT TO'

/** For good (5xx). */
const isRefused = (error: unknown): error is Error =>
  isAboutRecipient(error) && Number(error.responseCode) >= 500
