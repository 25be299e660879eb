import type { Tenant } from '../../src/caller'
import type { Sql } from '../../src/db/connect'
import { MAX_ATTEMPTS } from '../../src/webhooks/retry-schedule'
import type { Deployment } from './deployment'

const URL = 'https://receiver.example/hook'
const ERROR = 'the endpoint responded with 500'

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
 * Inserts `count` events of the last 29 days, each with a delivery to one of the measured webhooks and its attempts:
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
      attempt_count, attempt_limit, http_status, response_body, error, delivered_at, created_at,
      attempt_id, attempt_started_at, attempt_duration_ms, attempt_url, attempt_signatures)
    SELECT ${id(sql, 'dlv')}, ${accountId}, w.mode, w.id, ${id(sql, 'evt')}, 'article.created',
      CASE WHEN failed THEN 'FAILED' ELSE 'DELIVERED' END, CASE WHEN failed THEN 3 ELSE 1 END, ${MAX_ATTEMPTS}::int,
      CASE WHEN failed THEN 500 ELSE 200 END, 'ok', CASE WHEN failed THEN ${ERROR} END,
      CASE WHEN NOT failed THEN ${at} END, ${at},
      CASE WHEN NOT failed THEN gen_random_uuid() END, CASE WHEN NOT failed THEN ${at} END,
      CASE WHEN NOT failed THEN 3 END, CASE WHEN NOT failed THEN ${URL} END,
      CASE WHEN NOT failed THEN sha256(n::text::bytea) || sha256(n::text::bytea) END
    FROM (SELECT n, n % 100 = 0 AS failed FROM generate_series(1, ${count}::int) AS n) AS numbers
    JOIN webhooks w ON w.mode = CASE WHEN n % 2 = 0 THEN 'live' ELSE 'test' END`
  await sql`
    INSERT INTO attempts (delivery_id, number, id, started_at, duration_ms, http_status, error, response_body,
      request_url, signatures)
    SELECT ${id(sql, 'dlv')}, number, gen_random_uuid(), ${at}, 3, 500, ${ERROR}, 'ok', ${URL},
      sha256(n::text::bytea) || sha256(n::text::bytea)
    FROM generate_series(100, ${count}::int, 100) AS n, generate_series(1, 3) AS number`
  await sql`VACUUM ANALYZE`
}
