import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import type { Read } from '../../http/read'
import type { Reader } from '../../http/response/unread-limit'
import { findArticle } from '../articles/store'
import { checkText } from './check'
import type { CheckLinks } from './links'
import type { CheckResult } from './result'
import { checkSimilarity, type OtherArticle } from './similarity'
import { linksOf } from './text'

/** Articles that one is compared with: the newest of its project. Pages of them, and bytes of each page. */
const OTHERS_MAX = 1_000
const PAGE = 100
const PAGE_BYTES = 4 * 1024 ** 2

type Checked = {
  title: string
  body: string
  language: string
  keyword: string | null
  length: number | null
  project_id: string
  version: number
}

/**
 * All checks of an article (contract 6.15). Its links are checked where there is `checkLinks`, which takes up to 10 s.
 * @throws {DomainError} NOT_FOUND
 */
export const checkArticle = async (
  read: Read,
  caller: Reader & Tenant,
  id: string,
  checkLinks: CheckLinks | undefined,
): Promise<{ article_id: string; version: number; checks: CheckResult[] }> => {
  const article = await read(caller, sql => readChecked(sql, caller, id))
  const checks = await checkText(article, article)
  const similarity = await checkSimilarity(
    article.body,
    otherArticles(read, caller, id, article.project_id),
  )
  const links = await checkLinks?.(caller.accountId, linksOf(article.body))
  return {
    article_id: id,
    version: article.version,
    checks: [...checks, ...(similarity ? [similarity] : []), ...(links ? [links] : [])],
  }
}

const readChecked = async (sql: Sql, tenant: Tenant, id: string): Promise<Checked> => {
  const { title, body, project_id, version, keyword_id } = await findArticle(sql, tenant, id, sql``)
  const [row] = await sql<[Pick<Checked, 'language' | 'keyword' | 'length'>]>`
    SELECT p.language, (SELECT keyword FROM keywords WHERE id = ${keyword_id}) AS keyword,
      coalesce((SELECT length FROM generations WHERE id = ${generationOf(sql, id)}),
        (p.brief ->> 'length')::int) AS length
    FROM projects p WHERE p.id = ${project_id}`
  return { title, body, project_id, version, ...row }
}

/** The generation that wrote the first version of an article. */
const generationOf = (sql: Sql, id: string) => sql`(
  SELECT author ->> 'id' FROM article_versions
  WHERE article_id = ${id} AND version = 1 AND author ->> 'type' = 'generation'
  UNION ALL
  SELECT version_by ->> 'id' FROM articles
  WHERE id = ${id} AND version = 1 AND version_by ->> 'type' = 'generation'
)`

/** The newest other articles of the project, a page in each read. */
const otherArticles = async function* (
  read: Read,
  caller: Reader & Tenant,
  id: string,
  projectId: string,
): AsyncGenerator<OtherArticle[]> {
  let before: string | null = null
  for (let n = 0; n < OTHERS_MAX; n += PAGE) {
    const last: string | null = before
    const page: OtherArticle[] = await read(
      caller,
      sql => sql<OtherArticle[]>`
        SELECT id, title, body FROM (
          SELECT id, title, body, sum(octet_length(body)) OVER (ORDER BY id DESC) AS bytes
          FROM articles WHERE project_id = ${projectId} ${last === null ? sql`` : sql`AND id < ${last}`}
          ORDER BY id DESC LIMIT ${PAGE}
        ) AS page
        WHERE bytes <= ${PAGE_BYTES} ORDER BY id DESC`,
    )
    yield page.filter(other => other.id !== id)
    before = page.at(-1)?.id ?? null
    if (before === null) return
  }
}
