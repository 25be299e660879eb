import type { Message } from './message'
import type { DeliverMail } from './smtp'

/** Emails that are kept, the newest ones. */
const MAILS_MAX = 100

type ReceivedMail = Message & { to: string; at: Date }

/** The emails of `dev`, in the memory of its process instead of a mail server. */
export type Mailbox = { deliver: DeliverMail; list: () => readonly ReceivedMail[] }

export const createMailbox = (): Mailbox => {
  let mails: ReceivedMail[] = []
  return {
    deliver: async (to, message) => {
      mails = [{ ...message, to, at: new Date() }, ...mails].slice(0, MAILS_MAX)
    },
    /** Newest first. */
    list: () => mails,
  }
}
