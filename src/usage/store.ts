import { t } from 'elysia'
import type { Tenant } from '../caller'
import type { Db, Tx } from '../db/connect'
import { DomainError } from '../errors'
import { Integer, type TypeOf } from '../http/schema'

/**
 * What an account used in a UTC month, and what its plan allows (contract 6.10, 6.11). Only live records count, in
 * the month their transaction began, as `created_at` says; each is counted in the transaction that makes
 * it. src/db/functions/count_usage.sql says why none of this waits, except taking a generation.
 */
export const Usage = t.Object(
  {
    month: t.String({ pattern: '^\\d{4}-\\d\\d$', description: 'UTC.', examples: ['2026-01'] }),
    requests: Integer({ description: 'Requests that passed the rate limit.', examples: [18_250] }),
    generations: Integer({
      description: 'Taken from the quota: all but those that failed or were cancelled.',
      examples: [42],
    }),
    articles: Integer({
      description: 'Articles created, by you or by generation.',
      examples: [57],
    }),
    deliveries: Integer({
      description: 'Deliveries to webhooks, however many attempts each took. Tests are free.',
      examples: [1203],
    }),
    quota: t.Object({
      generations: Integer({ description: 'Generations in a month.', examples: [100] }),
    }),
  },
  { title: 'Usage' },
)
export type Usage = TypeOf<typeof Usage>

/** This month's live usage of an account, whichever key asks. */
export const getUsage = async (db: Db, accountId: string): Promise<Usage> => {
  const [{ quota, ...counted }] = await db<[Omit<Usage, 'quota'> & { quota: number }]>`
    WITH this AS MATERIALIZED (
      SELECT at, usage_month(at) AS month FROM (VALUES (clock_timestamp())) AS clock (at)
    )
    SELECT to_char(this.month, 'YYYY-MM') AS month, requests, generations, articles, deliveries,
      a.monthly_generations AS quota
    FROM this, accounts a,
      LATERAL (
        SELECT coalesce(sum(generations), 0)::bigint AS generations,
          coalesce(sum(articles), 0)::bigint AS articles,
          coalesce(sum(deliveries), 0)::bigint AS deliveries
        FROM monthly_usage u WHERE u.account_id = a.id AND u.month = this.month
      ) counted,
      LATERAL (
        SELECT coalesce(sum(w.last_n - w.month_first_n + 1), 0)::bigint AS requests
        FROM api_keys k JOIN api_key_windows w ON w.key_id = k.id
        WHERE k.account_id = a.id AND k.mode = 'live' AND w.month_end > this.at
      ) asked
    WHERE a.id = ${accountId}`
  return { ...counted, quota: { generations: quota } }
}

/**
 * Takes one generation of this month's quota, in the transaction that queues it; never one too many,
 * however many ask at once. Others who take one wait for this transaction: call it last in it.
 * @throws {DomainError} PLAN_LIMIT_REACHED when none is left. Test mode takes nothing and always may.
 */
export const takeFromQuota = async (tx: Tx, tenant: Tenant): Promise<void> => {
  if (tenant.mode === 'test') return
  const [{ quota, taken, renews }] = await tx<[{ quota: number; taken: boolean; renews: string }]>`
    SELECT quota, taken,
      to_char(usage_month(now()) + interval '1 month', 'YYYY-MM-DD') AS renews
    FROM take_generation(${tenant.accountId})`
  if (!taken)
    throw new DomainError(
      'PLAN_LIMIT_REACHED',
      `The plan allows ${quota} live generations a month, and none is left. The next month begins on ${renews} (UTC). Use a test key until then, or have the plan raised.`,
    )
}

/**
 * Gives generations of one account back that FAILED or were CANCELLED, to the months they were taken in, as
 * their `created_at` says. The caller makes sure that it happens once for each, in the transaction that ends
 * it. Never waits.
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
