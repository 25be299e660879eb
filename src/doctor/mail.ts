import type { Config } from '../config'
import type { Sql } from '../db/connect'
import { createSmtp } from '../mail/smtp'
import { isUntrusted, TRUST_AUTHORITY } from '../private-authority'
import { type Checks, describeCause, type Finding, fail, ok, warn } from './check'

/** In ms: within the time of a check. */
const TIMEOUT_MS = 7_000

/** Checks whether emails are sent: that the mail server accepts Arden, where this process knows it, and those that wait. */
export const mailChecks = (sql: Sql, mail: Config['mail']): Checks => ({
  email: async () => {
    const problem = mail && (await checkServer(mail))
    if (problem !== undefined) return problem
    const [{ waiting, error }] = await sql<[{ waiting: number; error: string | null }]>`
      SELECT count(*) AS waiting, (array_agg(error ORDER BY id DESC))[1] AS error
      FROM mails WHERE attempts > 0 AND error IS NOT NULL`
    if (waiting > 0)
      return warn(
        `${waiting} ${waiting === 1 ? 'email waits' : 'emails wait'} for another try, the latest after: ${error}.`,
        'Check the mail server and the logs of the workers.',
      )
    if (mail === undefined)
      return ok(
        'ARDEN_SMTP_URL is not set here: without it links for users are shown, not sent. Emails of dev are at /dashboard/mail.',
      )
    const { host, port, auth } = mail.smtp
    return ok(
      `${host}:${port} ${auth === undefined ? 'responds' : 'accepts the sign-in'}. Whether it accepts ${mail.from.address} as the sender shows with the first email.`,
    )
  },
})

/** What is wrong with the mail server, by the settings of this process. */
const checkServer = async (mail: NonNullable<Config['mail']>): Promise<Finding | undefined> => {
  const server = `${mail.smtp.host}:${mail.smtp.port}`
  try {
    return (await createSmtp(mail, TIMEOUT_MS).verify())
      ? undefined
      : warn(
          `${server} responds, and offers no sign-in: the user and the password of ARDEN_SMTP_URL are not used.`,
          'Check the port (587 for smtp://, 465 for smtps://), or remove the user and the password from ARDEN_SMTP_URL.',
        )
  } catch (error) {
    return fail(
      `${server} cannot be used: ${describeCause(error)}.`,
      isUntrusted(error) ? TRUST_AUTHORITY : 'Correct ARDEN_SMTP_URL, or the mail server.',
    )
  }
}
