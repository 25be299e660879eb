import { createAvailability, runPeriodically } from '../availability'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import type { Meter } from '../metrics/meter'
import type { Message } from './message'
import type { MailKind, QueuedMail } from './queue'
import { type DeliverMail, isAboutRecipient, RefusedRecipient } from './smtp'

/** How often a worker checks for emails, in ms. */
const INTERVAL_MS = 1_000
/** Emails that a worker sends at the same time. */
const BATCH = 5
/** How long an email belongs to the worker that sends it, in seconds. Longer than a conversation with a mail server. */
const LEASE_S = 120
/** The pause before another try, in seconds; doubles from the minimum to the maximum. */
const PAUSE_MIN_S = 10
const PAUSE_MAX_S = 3_600
/** Characters of an error that are stored. */
const ERROR_MAX = 500

/** The text of an email for its recipient; undefined when there is nothing to send any more. */
export type ComposeMail = (mail: QueuedMail) => Promise<Message | undefined>

type Deps = {
  sql: Sql
  log: Log
  meter: Pick<Meter, 'recordEmail'>
  deliver: DeliverMail
  compose: { [kind in MailKind]: ComposeMail }
  /** Is called when the email with a link was not sent, with a sentence that says why. */
  onUnsentLink: (linkId: string, reason: string) => Promise<void>
}

/**
 * Sends queued emails until `signal` is aborted (contract 3.20): each at least once, tried again until it expires. No
 * transaction is open while the mail server responds, because others would wait for it.
 */
export const runMailSender = (deps: Deps, signal: AbortSignal): Promise<void> =>
  runPeriodically(
    () => sendBatch(deps),
    INTERVAL_MS,
    createAvailability(deps.log, 'Sending emails', 'They are sent when a retry succeeds.'),
    signal,
  )

/**
 * Sends the emails that are due. `idle` and `empty`: the mail server was not asked, so whether it works is not known;
 * with `empty` no email waits for another try.
 * @throws the first reason why one was not sent, after the others.
 */
export const sendBatch = async (deps: Deps): Promise<'more' | 'done' | 'idle' | 'empty'> => {
  await dropExpired(deps)
  const mails = await claimMails(deps.sql)
  const results = await Promise.allSettled(mails.map(mail => send(deps, mail)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  if (results.every(result => result.status === 'fulfilled' && !result.value))
    return (await isRetrying(deps.sql)) ? 'idle' : 'empty'
  return mails.length === BATCH ? 'more' : 'done'
}

const isRetrying = async (sql: Sql): Promise<boolean> =>
  (await sql`SELECT FROM mails WHERE error IS NOT NULL LIMIT 1`).length > 0

const claimMails = (sql: Sql) => sql<QueuedMail[]>`
  UPDATE mails SET attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
  WHERE id IN (
    SELECT id FROM mails WHERE due_at <= clock_timestamp()
    ORDER BY due_at, id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  )
  RETURNING id, kind, recipient, link_id, data, attempts AS attempt`

/** Whether the mail server was asked: an email is sent no more once its link has ended. */
const send = async (deps: Deps, mail: QueuedMail): Promise<boolean> => {
  const { sql, meter, deliver, compose } = deps
  let message: Message | undefined
  try {
    message = await compose[mail.kind](mail)
    if (message !== undefined) {
      await deliver(mail.recipient, message)
      meter.recordEmail('sent')
    }
  } catch (error) {
    const reason = describe(error)
    if (!(error instanceof RefusedRecipient)) {
      await postpone(deps, mail, reason, isAboutRecipient(error) ? reason : SERVER_PROBLEM)
      throw new Error(reason)
    }
    await giveUp(deps, mail, reason)
  }
  await sql`DELETE FROM mails WHERE id = ${mail.id}`
  return message !== undefined
}

/** For the owners of an account, instead of names and addresses of the operator's servers. */
const SERVER_PROBLEM = 'it could not be sent. The reason is in the logs of the operator'

const postpone = async (
  { sql, onUnsentLink }: Deps,
  { id, attempt }: QueuedMail,
  reason: string,
  shown: string,
): Promise<void> => {
  const seconds = Math.min(PAUSE_MAX_S, PAUSE_MIN_S * 2 ** (attempt - 1))
  const [row] = await sql<{ link_id: string | null }[]>`
    UPDATE mails SET error = ${reason}, due_at = clock_timestamp() + make_interval(secs => ${seconds})
    WHERE id = ${id} RETURNING link_id`
  if (row?.link_id) await onUnsentLink(row.link_id, `It is sent when a retry succeeds: ${shown}`)
}

/** The link of a reset is created with the text of its email, after the email was claimed: it is read again. */
const giveUp = async (
  { sql, log, meter, onUnsentLink }: Deps,
  { id, kind }: QueuedMail,
  reason: string,
): Promise<void> => {
  const [row] = await sql<{ link_id: string | null }[]>`SELECT link_id FROM mails WHERE id = ${id}`
  const link = row?.link_id ?? undefined
  if (link !== undefined) await onUnsentLink(link, `The mail server refuses the address: ${reason}`)
  log.error({ mail: id, kind, link }, `Email not sent: ${reason}`)
  meter.recordEmail('refused')
}

const dropExpired = async ({ sql, log, meter }: Deps): Promise<void> => {
  const expired = await sql<{ id: number; kind: string; error: string | null }[]>`
    DELETE FROM mails WHERE id IN (
      SELECT id FROM mails WHERE due_at <= clock_timestamp() AND expires_at <= clock_timestamp()
      ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    )
    RETURNING id, kind, error`
  for (const { id, kind, error } of expired) {
    meter.recordEmail('expired')
    log.error(
      { mail: id, kind },
      `Email not sent before it expired: ${error ?? 'no worker sent it'}`,
    )
  }
}

/**
 * An error as it is stored and logged: PostgreSQL stores no U+0000, and logs have no email addresses, which mail servers
 * repeat when they refuse them.
 */
const describe = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replaceAll('\u0000', '')
    .replace(WORD, word => (word.includes('@') ? '[address]' : word))
    .slice(0, ERROR_MAX)

const WORD = /[^\s<>"'(),;:[\]]+/g
