import { Elysia } from 'elysia'
import type { Sql } from '../../db/connect'
import type { CheckResult } from '../../doctor/check'
import { DomainError } from '../../errors'
import { readRequiredKey } from '../../webhooks/signing/encryption'
import { withSession } from '../access/session'
import { createShare } from '../coalesce'
import { DASHBOARD_API } from '../paths'

/** What a running Arden rests on, as this process sees it. */
export type SystemState = {
  checked_at: string
  checks: CheckResult[]
  /** The one that webhook secrets are encrypted with; its age where it is known. */
  encryption_key: { id: string; since: string | null } | null
}

type Deps = { sql: Sql; runChecks: () => Promise<CheckResult[]> }

/**
 * The state of the system, as `arden doctor` tells it. It names hosts and counts what all accounts have
 * waiting, so it is for owners alone.
 */
export const systemRoutes = ({ sql, runChecks }: Deps) => {
  const share = createShare<SystemState>()
  const look = async (): Promise<SystemState> => {
    const checks = await runChecks()
    return {
      checked_at: new Date().toISOString(),
      checks,
      encryption_key: (await readRequiredKey(sql)) ?? null,
    }
  }
  return new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withSession)
    .get('/system', async ({ session: { role, email } }) => {
      if (role !== 'owner')
        throw new DomainError(
          'FORBIDDEN',
          `The state of the system is for owners, and ${email} is a ${role}. Ask an owner of the account.`,
        )
      return { data: await share('', look) }
    })
}
