import { recordAudit } from '../accounts/audit'
import type { Actor } from '../caller'
import { isMailAddress } from '../config/mail'
import type { Sql, Tx } from '../db/connect'
import { invalid } from '../errors'
import { composeMessage } from '../mail/message'
import { queueMail, setLink } from '../mail/queue'
import type { ComposeMail } from '../mail/sender'
import {
  createLink,
  endResets,
  findLink,
  INVITATION_HOURS,
  linkUrl,
  RESET_HOURS,
  renewLink,
  type SignInLink,
} from './sign-in-links'
import { countInvitationMail } from './sign-in-throttle'

/** The emails with sign-in links (contract 3.20). */

const SYSTEM: Actor = { type: 'system', id: 'arden', name: 'Arden' }

/** Sends a link of an owner to the address that it is for. @throws {DomainError} TOO_MANY_REQUESTS */
export const mailInvitation = async (
  tx: Tx,
  link: SignInLink,
  { email, accountId }: { email: string; accountId: string },
): Promise<void> => {
  if (!isMailAddress(email))
    throw invalid('email', 'must be an email address, such as ada@example.com')
  await countInvitationMail(tx, { email, accountId })
  await queueMail(tx, {
    kind: 'invitation',
    recipient: email,
    linkId: link.id,
    hours: INVITATION_HOURS,
  })
}

/**
 * Sends a link that resets the password, if the address is that of a person. Whether it is, is looked up when the email
 * is sent: here, the response and its time are the same for every address.
 */
export const requestPasswordReset = (
  tx: Tx,
  { email, address }: { email: string; address: string },
): Promise<void> =>
  queueMail(tx, { kind: 'password_reset', recipient: email, data: { address }, hours: RESET_HOURS })

/** The texts. `base` is the URL that their links begin with. */
export const composeInvitation =
  (sql: Sql, base: string): ComposeMail =>
  async ({ link_id }) => {
    const link = await sql.begin(tx => renewLink(tx, link_id ?? ''))
    if (link === undefined) return undefined
    const { account_name, person_id } = await findLink(sql, link.token)
    return person_id === null
      ? composeMessage({
          subject: `Join ${account_name} on Arden`,
          paragraphs: [
            'Hello,',
            `You are invited to the account ${account_name} on Arden. Open the link to join it.`,
          ],
          action: { label: 'Accept the invitation', url: linkUrl(base, link) },
          note: `The link works once, until ${dateTime(link.expires_at)}. If you did not expect this invitation, ignore this email.`,
        })
      : composeMessage({
          subject: `Choose a new password for ${account_name} on Arden`,
          paragraphs: [
            'Hello,',
            `An owner of the account ${account_name} on Arden sends you a link to choose a new password. Your current password and sessions stay valid until you use it.`,
          ],
          action: { label: 'Choose a password', url: linkUrl(base, link) },
          note: `The link works once, until ${dateTime(link.expires_at)}.`,
        })
  }

export const composePasswordReset =
  (sql: Sql, base: string): ComposeMail =>
  async ({ id, link_id, recipient, data }) => {
    const link = await sql.begin(tx =>
      link_id === null
        ? createReset(tx, id, recipient, data.address ?? null)
        : renewLink(tx, link_id),
    )
    if (link === undefined) return undefined
    return composeMessage({
      subject: 'Reset your Arden password',
      paragraphs: [
        'Hello,',
        'Someone, probably you, asked to reset the password of your Arden user. Open the link to choose a new one. It ends all your sessions.',
      ],
      action: { label: 'Choose a new password', url: linkUrl(base, link) },
      note: `The link works once, until ${dateTime(link.expires_at)}. If you did not ask for it, ignore this email: your password stays as it is.`,
    })
  }

/**
 * Ends links of earlier requests. Undefined for an address that no person has who may sign in. One audit entry for the
 * requests of an hour: a further one while the link of an earlier one is valid writes none (contract 3.20).
 */
const createReset = async (
  tx: Tx,
  mailId: number,
  email: string,
  address: string | null,
): Promise<SignInLink | undefined> => {
  const [person] = await tx<{ id: string; account_id: string }[]>`
    SELECT id, account_id FROM people WHERE email = ${email} AND disabled_at IS NULL
    FOR NO KEY UPDATE`
  if (person === undefined) return undefined
  const { id: personId, account_id: accountId } = person
  const isRepeated = await endResets(tx, personId)
  const by = { accountId, actor: SYSTEM, address }
  const link = await createLink(tx, by, { personId }, 'reset', RESET_HOURS)
  await setLink(tx, mailId, link.id)
  // Strangers can request it again and again, and entries are kept forever.
  if (!isRepeated)
    await recordAudit(tx, by, 'person.password_reset_requested', personId, {
      email,
      link_id: link.id,
    })
  return link
}

const dateTime = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`
