import type { Tenant } from '../../src/caller'
import type { Sql } from '../../src/db/connect'
import { MAX_ATTEMPTS } from '../../src/webhooks/retry-schedule'
import type { Deployment } from './deployment'

/** SQL for an id that sorts by `n` and before the ids of today. */
const id = (sql: Sql, prefix: string) => sql`
  ${`${prefix}_`} || '01k' || lpad(n::text, 11, '0') || substr(md5(n::text), 1, 12)`

/** Inserts `count` articles of 2 KB. */
export const fillArticles = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  projectId: string,
  count: number,
): Promise<void> => {
  await sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT ${id(sql, 'art')}, ${accountId}, ${mode}, ${projectId}, 'Article ' || n, 'article-' || n,
      repeat('A sentence. ', 170), 'DRAFT'
    FROM generate_series(1, ${count}::int) AS n`
  await sql`VACUUM ANALYZE articles`
}

/**
 * Inserts `count` events of the last 29 days, each with a delivery and an attempt of the measured webhooks:
 * the state one month after the first start.
 */
export const fillDeliveries = async ({ sql, caller }: Deployment, count: number): Promise<void> => {
  const { accountId } = caller
  const at = sql`now() - interval '29 days' * (1 - n::float8 / ${count}::float8) - interval '1 hour'`
  await sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    SELECT ${id(sql, 'evt')}, ${accountId}, CASE WHEN n % 2 = 0 THEN 'live' ELSE 'test' END,
      'article.created', repeat('An envelope. ', 24), ${at}
    FROM generate_series(1, ${count}::int) AS n`
  await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status,
      attempt_count, attempt_limit, http_status, response_body, delivered_at, created_at)
    SELECT ${id(sql, 'dlv')}, ${accountId}, w.mode, w.id, ${id(sql, 'evt')}, 'article.created',
      CASE WHEN n % 100 = 0 THEN 'FAILED' ELSE 'DELIVERED' END, 1, ${MAX_ATTEMPTS}::int, 200, 'ok',
      CASE WHEN n % 100 <> 0 THEN ${at} END, ${at}
    FROM generate_series(1, ${count}::int) AS n
    JOIN webhooks w ON w.mode = CASE WHEN n % 2 = 0 THEN 'live' ELSE 'test' END`
  await sql`
    INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms, http_status, response_body,
      request_url, request_headers)
    SELECT ${id(sql, 'dlv')}, 1, gen_random_uuid(), ${at}, 3, 200, 'ok', 'https://receiver.example/hook',
      jsonb_build_object('X-Webhook-Event', 'article.created', 'X-Webhook-Signature', repeat('ab', 32),
        'webhook-signature', repeat('ab', 22), 'User-Agent', 'Arden-Webhook/1.0')
    FROM generate_series(1, ${count}::int) AS n`
  await sql`VACUUM ANALYZE`
}
