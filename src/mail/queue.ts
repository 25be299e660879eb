import type { Tx } from '../db/connect'

/** Emails that wait to be sent (contract 3.20). */

export type MailKind = 'invitation' | 'password_reset' | 'webhook_disabled'

/** What an email is about; its text is composed when it is sent. Never a secret: a link's token is made then, too. */
type NewMail = {
  kind: MailKind
  recipient: string
  /** The sign-in link that the email has. When the link ends, the email is not sent. */
  linkId?: string
  data?: { [name: string]: string }
  /** Tries to send it end after this time. */
  hours: number
}

/** An email whose turn it is. `attempt` begins with 1. */
export type QueuedMail = {
  id: number
  kind: MailKind
  recipient: string
  link_id: string | null
  data: { [name: string]: string }
  attempt: number
}

/** Adds emails in the transaction of their cause: they are sent when it is committed, and not otherwise. */
export const queueMail = async (tx: Tx, ...mails: NewMail[]): Promise<void> => {
  for (const { kind, recipient, linkId, data = {}, hours } of mails)
    await tx`
      INSERT INTO mails (kind, recipient, link_id, data, expires_at)
      VALUES (${kind}, ${recipient}, ${linkId ?? null}, ${tx.json(data)},
        clock_timestamp() + make_interval(hours => ${hours}))`
}

/** The link that the text of an email was given; further tries to send the email use it. */
export const setLink = async (tx: Tx, mailId: number, linkId: string): Promise<void> => {
  await tx`UPDATE mails SET link_id = ${linkId} WHERE id = ${mailId}`
}
