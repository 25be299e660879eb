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
    verify: async (): Promise<boolean> => {
      await (await transport).verify().catch(error => {
        throw explained(error, timeoutMs)
      })
      return smtp.auth === undefined || offersSignIn(smtp, timeoutMs)
    },
  }
}

/** Lazy: most processes send no email. */
const createTransport = async (
  { host, port, isTls, auth }: MailConfig['smtp'],
  timeoutMs: number,
  options: { auth?: undefined; forceAuth?: true } = {},
) => {
  const { createTransport } = await import('nodemailer')
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)
  return createTransport({
    // The library asks a name server for `localhost`, which could name another machine.
    host: isTls ? host : host.replace(/^localhost$/i, '127.0.0.1'),
    port,
    secure: isTls,
    ...(auth !== undefined && { auth }),
    ...(!isTls && (isLocal ? localTls(auth) : { requireTLS: auth !== undefined })),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    // Later than that of the greeting, whose error says more. Both begin with the connection.
    socketTimeout: timeoutMs + 1_000,
    // A message never names a file or a URL whose content is then sent.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...options,
  })
}

/** Whether the server offers a sign-in: where one is required and no password is given, the library fails before it. */
const offersSignIn = async (smtp: MailConfig['smtp'], timeoutMs: number): Promise<boolean> => {
  const transport = await createTransport(smtp, timeoutMs, { auth: undefined, forceAuth: true })
  return transport.verify().then(
    () => false,
    error => {
      if (error.code === 'ENOAUTH') return true
      throw error
    },
  )
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
