import { isDeepStrictEqual } from 'node:util'
import { auditContextOf, recordAudit } from '../../accounts/audit'
import type { Caller, Mode, Tenant } from '../../caller'
import type { Db, Sql, Tx } from '../../db/connect'
import { contains } from '../../db/contains'
import { indexableEq, type PageRequest, type PageResult, readWithCachedPlan } from '../../db/page'
import { notFound } from '../../errors'
import { isId, newId } from '../../ids'
import { announceWebhook } from '../queue/changes'
import type { Cipher } from '../signing/encryption'
import type { StoredHeaders } from '../signing/header-values'
import { newSecret, showSecret } from '../signing/secret'
import { auditHeaders, changeHeaders, checkServerOfHeaders, maskHeaders } from './custom-headers'
import type { Webhook, WebhookChanges, WebhookInput, WebhookWithSecret } from './schema'
import { clearSlow } from './slow-webhooks'

/** A page of the tenant's webhooks, newest first. Deleted ones are hidden (contract 4.2). */
export const listWebhooks = async (
  sql: Sql,
  tenant: Tenant,
  { search }: { search?: string },
  page: PageRequest,
): Promise<PageResult<Webhook>> => {
  const list = sql`
    SELECT ${sql(COLUMNS)} FROM webhooks
    WHERE account_id = ${indexableEq(sql, tenant.accountId)} AND mode = ${tenant.mode} AND deleted_at IS NULL
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${search === undefined ? sql`` : sql`AND (${contains(sql, search, [sql`url`, sql`description`])})`}
    ORDER BY account_id, id DESC`
  return readWithCachedPlan(sql, list, page, toWebhook)
}

/** @throws {DomainError} NOT_FOUND, also for a deleted webhook. */
export const getWebhook = async (db: Db, tenant: Tenant, id: string): Promise<Webhook> =>
  toWebhook(await find(db, tenant, id))

/** Locks the webhook until the end of the transaction. @throws {DomainError} NOT_FOUND. */
export const lockWebhook = async (tx: Tx, tenant: Tenant, id: string): Promise<Webhook> =>
  toWebhook(await find(tx, tenant, id, tx`FOR NO KEY UPDATE`))

/**
 * Creates a webhook and returns it with its secret; sends nothing (contract 4.2). The caller has checked the URL with
 * `checkWebhookUrl` before the transaction, because a DNS lookup must not hold a lock.
 */
export const createWebhook = async (
  tx: Tx,
  cipher: Cipher,
  caller: Caller,
  input: WebhookInput,
): Promise<WebhookWithSecret> => {
  const id = newId('wh')
  const secret = newSecret()
  const headers = changeHeaders(cipher, id, {}, input.headers ?? {})
  const [row] = await tx<[WebhookRow]>`
    INSERT INTO webhooks ${tx({
      id,
      account_id: caller.accountId,
      mode: caller.mode,
      url: input.url,
      events: input.events,
      description: input.description ?? null,
      enabled: input.enabled ?? true,
      ordered: input.ordered ?? false,
      disabled_reason: disabledReason(caller, input.enabled ?? true),
      secret: cipher.encrypt(secret, id),
      headers: tx.json(headers),
      created_at: new Date(),
    })}
    RETURNING ${tx(COLUMNS)}`
  const webhook = toWebhook(row)
  await recordAudit(tx, auditContextOf(caller), 'webhook.created', id, {
    url: toAuditValue('url', webhook),
    events: webhook.events,
    enabled: webhook.enabled,
    ordered: webhook.ordered,
    ...(input.headers !== undefined && { headers: auditHeaders({}, headers).to }),
  })
  return { ...webhook, ...showSecret(secret) }
}

/**
 * Changes a webhook (contract 4.2); without a difference there is no audit entry. Disabling sets `disabled_reason`,
 * enabling clears it. The caller has checked a new URL with `checkWebhookUrl`. `check` gets the webhook before the
 * change, and rejects it by throwing.
 * @throws {DomainError} NOT_FOUND; VALIDATION_ERROR for headers that may not stay or are too many.
 */
export const updateWebhook = async (
  tx: Tx,
  cipher: Cipher,
  caller: Caller,
  id: string,
  { headers: headerChanges = {}, ...changes }: WebhookChanges,
  check: (before: Webhook) => void = () => {},
): Promise<Webhook> => {
  const found = await find(tx, caller, id, tx`FOR NO KEY UPDATE`)
  const before = toWebhook(found)
  check(before)
  if (changes.url !== undefined)
    checkServerOfHeaders(found.headers, headerChanges, { from: before.url, to: changes.url })
  const headers = changeHeaders(cipher, id, found.headers, headerChanges)
  const hasOtherHeaders = !isDeepStrictEqual(headers, found.headers)
  const { url, events, enabled, ordered, description } = { ...before, ...changes }
  const changed = CHANGEABLE.filter(
    member => member in changes && !isDeepStrictEqual(changes[member], before[member]),
  )
  if (changed.length === 0 && !hasOtherHeaders) return before
  const disabled_reason = changed.includes('enabled')
    ? disabledReason(caller, enabled)
    : before.disabled_reason
  // Contract 4.13: the count of automatic disabling restarts.
  const restartsCount = changed.includes('url') || changed.includes('enabled')
  const [row] = await tx<[WebhookRow]>`
    UPDATE webhooks
    SET ${tx({ url, events, enabled, ordered, description, disabled_reason, headers: tx.json(headers) })}
      , updated_at = clock_timestamp()${restartsCount ? tx`, failing_since = NULL` : tx``}
    WHERE id = ${id} RETURNING ${tx(COLUMNS)}`
  if (restartsCount) await clearSlow(tx, id)
  // What waited in an order can be sent.
  if (changed.includes('ordered'))
    await announceWebhook(tx, { accountId: caller.accountId, webhookId: id })
  const after = toWebhook(row)
  await recordAudit(tx, auditContextOf(caller), 'webhook.updated', id, {
    ...Object.fromEntries(
      changed.map(member => [
        member,
        { from: toAuditValue(member, before), to: toAuditValue(member, after) },
      ]),
    ),
    ...(hasOtherHeaders && { headers: auditHeaders(found.headers, headers) }),
  })
  return after
}

/**
 * Deletes a webhook; its deliveries remain readable (contract 4.2). `check` gets the webhook before, and throws if it must
 * not be deleted.
 * @throws {DomainError} NOT_FOUND, also for a deleted webhook.
 */
export const deleteWebhook = async (
  tx: Tx,
  caller: Caller,
  id: string,
  check: (before: Webhook) => void = () => {},
): Promise<{ id: string; deleted: true }> => {
  check(await lockWebhook(tx, caller, id))
  // No longer paused, so that waiting deliveries become FAILED because of the deletion (contract 4.12).
  await tx`UPDATE webhooks SET deleted_at = now(), paused_at = NULL WHERE id = ${id}`
  await clearSlow(tx, id)
  await announceWebhook(tx, { accountId: caller.accountId, webhookId: id })
  await recordAudit(tx, auditContextOf(caller), 'webhook.deleted', id)
  return { id, deleted: true }
}

/**
 * Gives a webhook a new secret, for every attempt that begins afterwards (contract 4.5). With `overlapSeconds` the
 * Standard Webhooks signature also uses the previous secret for that long, and those of overlaps that run still: a
 * receiver may have any of them. 0 ends earlier overlaps as well. A secret whose encryption key is lost is not kept.
 * @throws {DomainError} NOT_FOUND.
 */
export const rotateSecret = async (
  tx: Tx,
  cipher: Cipher,
  caller: Caller,
  id: string,
  overlapSeconds: number,
): Promise<WebhookWithSecret> => {
  await lockWebhook(tx, caller, id)
  const secret = newSecret()
  const previous = overlapSeconds > 0 ? await signingNow(tx, cipher, id) : []
  const kept = previous.length === 0 ? null : previous.join(' ')
  const [row] = await tx<[WebhookRow]>`
    UPDATE webhooks SET
      updated_at = clock_timestamp(),
      secret = ${cipher.encrypt(secret, id)},
      previous_secret = ${kept},
      previous_secret_until = CASE WHEN ${kept !== null} THEN greatest(
        previous_secret_until, clock_timestamp() + make_interval(secs => ${overlapSeconds})) END
    WHERE id = ${id} RETURNING ${tx(COLUMNS)}`
  await recordAudit(tx, auditContextOf(caller), 'webhook.secret_rotated', id, {
    overlap_seconds: overlapSeconds,
  })
  return { ...toWebhook(row), ...showSecret(secret) }
}

/** Earlier secrets of a webhook that sign at a time: each is one more signature in every request. */
const PREVIOUS_MAX = 4

/** The secrets that sign at this moment, as they are stored, newest first. */
const signingNow = async (tx: Tx, cipher: Cipher, id: string): Promise<string[]> => {
  const rows = await tx<{ secret: string }[]>`
    SELECT one AS secret FROM webhooks, unnest(secret || CASE
      WHEN previous_secret_until > clock_timestamp() THEN string_to_array(previous_secret, ' ')
    END) WITH ORDINALITY AS signing(one, n)
    WHERE id = ${id} AND split_part(one, '.', 2) = ANY (${cipher.keyIds})
    ORDER BY n LIMIT ${PREVIOUS_MAX}`
  return rows.map(one => one.secret)
}

const CHANGEABLE = ['url', 'events', 'enabled', 'ordered', 'description'] as const
const COLUMNS = [
  'id',
  'url',
  'events',
  'enabled',
  'ordered',
  'description',
  'disabled_reason',
  'headers',
  'paused_at',
  'mode',
  'created_at',
  'updated_at',
] as const

type WebhookRow = Omit<
  Webhook,
  'test_mode' | 'paused' | 'created_at' | 'updated_at' | 'headers'
> & {
  headers: StoredHeaders
  mode: Mode
  paused_at: Date | null
  created_at: Date
  updated_at: Date | null
}

const toWebhook = ({
  mode,
  headers,
  paused_at,
  created_at,
  updated_at,
  ...row
}: WebhookRow): Webhook => ({
  ...row,
  headers: maskHeaders(headers),
  paused: paused_at !== null,
  test_mode: mode === 'test',
  created_at: created_at.toISOString(),
  updated_at: (updated_at ?? created_at).toISOString(),
})

const find = async (
  db: Db,
  tenant: Tenant,
  id: string,
  lock: ReturnType<Tx> = db``,
): Promise<WebhookRow> => {
  const [row] = isId('wh', id)
    ? await db<WebhookRow[]>`
        SELECT ${db(COLUMNS)} FROM webhooks
        WHERE id = ${id} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}
          AND deleted_at IS NULL
        ${lock}`
    : []
  if (row === undefined) throw notFound('webhook', id)
  return row
}

const disabledReason = ({ actor }: Caller, enabled: boolean): string | null => {
  if (enabled) return null
  return actor.type === 'user' ? 'disabled in the dashboard' : 'disabled through the API'
}

/** The value of a member in the audit history: of a URL only the host, because its path can contain a token. */
const toAuditValue = (member: (typeof CHANGEABLE)[number], webhook: Webhook) =>
  member === 'url' ? new URL(webhook.url).host : webhook[member]
