import { Elysia, t } from 'elysia'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'
import { type Found, search } from './store'

/** Characters. Ids have 31, titles of articles up to 200. */
const TEXT_MAX = 200

/** Search over all records of the account and mode, by id or text. */
export const searchRoutes = ({ read }: { read: Read }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/search',
      async ({ caller, query }): Promise<{ data: Found[] }> => ({
        data: await read(caller, sql => search(sql, caller, query.text)),
      }),
      { role: 'viewer', query: t.Object({ text: t.String({ maxLength: TEXT_MAX }) }) },
    )
