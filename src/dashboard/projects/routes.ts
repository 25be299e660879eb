import { Elysia } from 'elysia'
import { CSV_COLUMNS, toCells } from '../../content/keywords/csv'
import { KeywordFilterQuery, toKeywordFilter } from '../../content/keywords/filter'
import type { Keyword } from '../../content/keywords/schema'
import { listKeywords } from '../../content/keywords/store'
import { measureProject, type ProjectSize } from '../../content/projects/store'
import { PAGE_LIMIT_MAX, type PageRequest, type PageResult } from '../../db/page'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { withRole } from '../access/roles'
import { type Cells, toDownload } from '../csv/download'
import { DASHBOARD_API } from '../paths'

/** How much goes with a project, for the question before it is deleted, and those of its keywords that match a filter as a CSV file. */
export const projectRoutes = ({ read, unread }: { read: Read; unread: UnreadLimit }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/projects/:id/size',
      async ({ caller, params }): Promise<{ data: ProjectSize }> => ({
        data: await read(caller, sql => measureProject(sql, caller, params.id)),
      }),
      { role: 'viewer' },
    )
    .get(
      '/projects/:id/keywords.csv',
      async ({ caller, params: { id }, query }) =>
        toDownload(caller, unread, {
          name: 'keywords.csv',
          head: CSV_COLUMNS,
          nextLines: readLines(page =>
            read(caller, sql => listKeywords(sql, caller, id, toKeywordFilter(query), page)),
          ),
        }),
      { role: 'viewer', query: KeywordFilterQuery },
    )

/** Reads page after page; undefined after the last one. */
const readLines = (readPage: (page: PageRequest) => Promise<PageResult<Keyword>>) => {
  let before: string | null = null
  let isDone = false
  return async (): Promise<Cells[] | undefined> => {
    if (isDone) return undefined
    const { rows, next } = await readPage({ limit: PAGE_LIMIT_MAX, before })
    before = next
    isDone = next === null
    return rows.map(toCells)
  }
}
