import type { Tenant } from '../../caller'
import type { Db, Sql } from '../../db/connect'
import { needsLanguage, slugify } from './slug'

/** The language of a project, for the slugs of its articles. */

/** How long it is remembered, in ms: slugs follow a change of it as much later. */
const REMEMBERED_MS = 10_000
/** Projects whose language is remembered. */
const PROJECTS_MAX = 10_000

type Titled = { project_id: string; title: string; slug?: string }

/** The input with its slug, made from the title where it has none. */
export const withSlug = async <T extends Titled>(
  input: T,
  languageOf: (projectId: string) => Promise<string | undefined>,
): Promise<T & { slug: string }> => ({
  ...input,
  slug:
    input.slug ??
    slugify(
      input.title,
      needsLanguage(input.title) ? await languageOf(input.project_id) : undefined,
    ),
})

/** Undefined for a project that does not exist. */
export const readLanguage = async (
  db: Db,
  { accountId, mode }: Tenant,
  projectId: string,
): Promise<string | undefined> => {
  const [project] = await db<{ language: string }[]>`
    SELECT language FROM projects
    WHERE id = ${projectId} AND account_id = ${accountId} AND mode = ${mode}`
  return project?.language
}

/** The same, remembered: articles that are inserted in batches have no transaction of their own to read it in. */
export const createLanguages = (sql: Sql): LanguageOf => {
  const known = new Map<string, { language: string; until: number }>()
  return async (tenant, projectId) => {
    const key = `${tenant.accountId} ${tenant.mode} ${projectId}`
    const found = known.get(key)
    if (found !== undefined && found.until > performance.now()) return found.language
    const language = await readLanguage(sql, tenant, projectId)
    if (language !== undefined) {
      if (known.size >= PROJECTS_MAX) known.clear()
      known.set(key, { language, until: performance.now() + REMEMBERED_MS })
    }
    return language
  }
}

type LanguageOf = (tenant: Tenant, projectId: string) => Promise<string | undefined>
