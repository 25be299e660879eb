import { Elysia } from 'elysia'
import { measureProject, type ProjectSize } from '../../content/projects/store'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

/** How much goes with a project, for the question before it is deleted. */
export const projectSizeRoutes = ({ read }: { read: Read }) =>
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
