import type { Tenant } from '../caller'
import type { Db, Tx } from '../db/connect'
import { DomainError } from '../errors'
import type { Usage } from './schema'

/**
 * Monthly counters of live records. Everything counts in the month in which its transaction began, in that same
 * transaction. db/functions/count_usage.sql explains why only taking from the quota waits for other transactions.
 */

/** The live usage of an account in this UTC month, whichever key calls (contract 6.10). */
export const getUsage = async (db: Db, accountId: string): Promise<Usage> => {
  const [{ quota, ...counted }] = await db<[Omit<Usage, 'quota'> & { quota: number }]>`
    WITH this AS MATERIALIZED (
      SELECT at, usage_month(at) AS month FROM (VALUES (clock_timestamp())) AS clock (at)
    )
    SELECT to_char(this.month, 'YYYY-MM') AS month, requests, generations, articles, deliveries,
      input_tokens, output_tokens, a.monthly_generations AS quota
    FROM this, accounts a,
      LATERAL (
        SELECT coalesce(sum(generations), 0)::bigint AS generations,
          coalesce(sum(articles), 0)::bigint AS articles,
          coalesce(sum(deliveries), 0)::bigint AS deliveries,
          coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
          coalesce(sum(output_tokens), 0)::bigint AS output_tokens
        FROM monthly_usage u WHERE u.account_id = a.id AND u.month = this.month
      ) counted,
      LATERAL (
        SELECT coalesce(sum(w.last_n - w.month_first_n + 1), 0)::bigint AS requests
        FROM api_keys k JOIN api_key_windows w ON w.key_id = k.id
        WHERE k.account_id = a.id AND k.mode = 'live' AND w.month_end > this.at
      ) admitted
    WHERE a.id = ${accountId}`
  return { ...counted, quota: { generations: quota } }
}

/**
 * Tokens of language models for each generation of the quota. One of 30 sections, with the longest style guide, takes
 * up to 150,000.
 */
const TOKENS_PER_GENERATION = 200_000

/**
 * Takes one generation from this month's quota, in the transaction that queues it (contract 6.11). Concurrent calls
 * for the account wait for this transaction, so make it the last statement. Test mode has no quota.
 * @throws {DomainError} PLAN_LIMIT_REACHED when the quota is used up, or the tokens that belong to it: generations that
 * failed or were cancelled are returned, and what they have used is not.
 */
export const takeFromQuota = async (tx: Tx, tenant: Tenant): Promise<void> => {
  if (tenant.mode === 'test') return
  const [{ quota, taken, renews }] = await tx<[{ quota: number; taken: boolean; renews: string }]>`
    SELECT quota, taken,
      to_char(usage_month(now()) + interval '1 month', 'YYYY-MM-DD') AS renews
    FROM take_generation(${tenant.accountId})`
  if (taken) await checkTokens(tx, tenant, { quota, renews })
  else
    throw new DomainError(
      'PLAN_LIMIT_REACHED',
      `The plan allows ${quota} live ${quota === 1 ? 'generation' : 'generations'} a month, and none is left. The next month begins on ${renews} (UTC). Use test mode until then, or ask the operator for a larger plan.`,
    )
}

const checkTokens = async (
  tx: Tx,
  { accountId }: Tenant,
  { quota, renews }: { quota: number; renews: string },
): Promise<void> => {
  const [{ tokens }] = await tx<[{ tokens: number }]>`
    SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint AS tokens FROM monthly_usage
    WHERE account_id = ${accountId} AND month = usage_month(now())`
  const max = quota * TOKENS_PER_GENERATION
  if (tokens >= max)
    throw new DomainError(
      'PLAN_LIMIT_REACHED',
      `The plan allows ${max} tokens of language models a month, those of failed and cancelled generations included, and ${tokens} were used. The next month begins on ${renews} (UTC). Use test mode until then, or ask the operator for a larger plan.`,
    )
}

/**
 * Returns generations that FAILED or were CANCELLED to the quota of the months they were taken from (contract 6.11).
 * Call it once for each, in the transaction that sets the final status. Waits for no other transaction.
 * @param takenAt `queued_at` of each generation.
 */
export const returnToQuota = async (tx: Tx, tenant: Tenant, takenAt: Date[]): Promise<void> => {
  if (tenant.mode === 'test' || takenAt.length === 0) return
  await tx`
    SELECT count_usage(${tenant.accountId}, taken.month, -taken.generations, 0, 0)
    FROM (
      SELECT usage_month(at) AS month, count(*)::int AS generations
      FROM unnest(${takenAt.map(at => at.toISOString())}::timestamptz[]) AS at GROUP BY 1
    ) taken`
}

/** Counts the tokens of a response, in the transaction that stores it, once. Test mode counts nowhere. */
export const countTokens = async (
  tx: Tx,
  tenant: Tenant,
  { inputTokens, outputTokens }: { inputTokens: number | null; outputTokens: number | null },
): Promise<void> => {
  if (tenant.mode === 'test' || (inputTokens === null && outputTokens === null)) return
  await tx`
    SELECT count_usage(${tenant.accountId}, usage_month(now()), 0, 0, 0,
      ${inputTokens ?? 0}, ${outputTokens ?? 0})`
}
