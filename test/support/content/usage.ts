import type { Sql } from '../../../src/db/connect'

/** Lets months pass for an account: what was counted so far, was counted `months` earlier. */
export const passMonths = async (sql: Sql, accountId: string, months: number): Promise<void> => {
  const by = `${months} months`
  await sql`UPDATE monthly_usage SET month = month - ${by}::interval WHERE account_id = ${accountId}`
  await sql`
    UPDATE api_key_windows SET month_end = month_end - ${by}::interval
    WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId})`
}
