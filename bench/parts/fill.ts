import type { Tenant } from '../../src/caller'
import type { Sql } from '../../src/db/connect'

/** Ids as they are made, of the last 30 days: sorted by time, the oldest first. */
const id = (sql: Sql, prefix: string) => sql`
  ${`${prefix}_`} || '01k' || lpad(n::text, 11, '0') || substr(md5(n::text), 1, 12)`

/** `count` articles of a project, 2 KB each. */
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
