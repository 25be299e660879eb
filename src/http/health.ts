import { Elysia } from 'elysia'
import { type Sql, withTimeout } from '../db/connect'
import { requireWritable } from '../db/read-only'
import { isMigrated } from '../db/schema-state'
import { DomainError } from '../errors'

/**
 * `/healthz`: the process is alive. `/readyz`: the database is reachable, migrated and not read-only (contract 1.1).
 */
export const healthRoutes = (sql: Sql) =>
  new Elysia({ name: 'health' })
    .get('/healthz', () => ({ status: 'ok' }))
    .get('/readyz', async () => {
      if (!(await withTimeout(isMigrated(sql))))
        throw new DomainError(
          'UNAVAILABLE',
          'The database is not migrated yet. Run `arden migrate`.',
        )
      await withTimeout(requireWritable(sql))
      return { status: 'ready' }
    })
