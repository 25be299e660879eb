import type { MailConfig } from '../config/mail'
import type { Mailbox } from './mailbox'
import { createSmtp, type DeliverMail } from './smtp'

/** Where emails go: to a mail server, or in `dev` without one to a page. Without either, none is written. */
export type MailTarget = { mail?: MailConfig | undefined; mailbox?: Mailbox | undefined }

export const canSendMail = ({ mail, mailbox }: MailTarget): boolean =>
  mail !== undefined || mailbox !== undefined

export const createDelivery = ({ mail, mailbox }: MailTarget): DeliverMail => {
  const target = mail === undefined ? mailbox : createSmtp(mail)
  if (target === undefined) throw new Error('no email can be sent')
  return target.deliver
}
