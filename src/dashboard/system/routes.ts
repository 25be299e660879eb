import { Elysia } from 'elysia'
import type { Sql } from '../../db/connect'
import type { CheckResult } from '../../doctor/check'
import { readRequiredKey } from '../../webhooks/signing/encryption'
import { withRole } from '../access/roles'
import { createCoalesce } from '../coalesce'
import { DASHBOARD_API } from '../paths'

/** The state of the deployment as this process sees it. */
export type SystemState = {
  checked_at: string
  checks: CheckResult[]
  /** The key that encrypts webhook secrets. `since` is null when its age is unknown. */
  encryption_key: { id: string; since: string | null } | null
}

type Deps = { sql: Sql; runChecks: () => Promise<CheckResult[]> }

/** The checks of `arden doctor`, for owners only: they name hosts and count deliveries of all accounts. */
export const systemRoutes = ({ sql, runChecks }: Deps) => {
  const coalesce = createCoalesce<SystemState>()
  const readState = async (): Promise<SystemState> => {
    const checks = await runChecks()
    return {
      checked_at: new Date().toISOString(),
      checks,
      encryption_key: (await readRequiredKey(sql)) ?? null,
    }
  }
  return new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withRole)
    .get('/system', async () => ({ data: await coalesce('', readState) }), { role: 'owner' })
}
