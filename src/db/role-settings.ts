import { LOCK_TIMEOUT_MS, type Tx } from './connect'

/**
 * How long PostgreSQL waits for a client that takes nothing of what was sent, in ms: a process that hangs, or a machine
 * that is gone. Its transaction keeps its locks until then, so this is less than others wait for a lock.
 */
const TCP_USER_TIMEOUT_MS = 0.8 * LOCK_TIMEOUT_MS

/**
 * Sets `tcp_user_timeout` for this role in this database, unless it is set already. Not as a parameter of each
 * connection, which poolers refuse: and only where the server's system has it, which is Linux. A role may always
 * change its own settings; new connections get them.
 */
export const applyRoleSettings = async (tx: Tx): Promise<void> => {
  const [{ supported }] = await tx<[{ supported: boolean }]>`
    SELECT version() LIKE '%-linux-%' AND current_setting('tcp_user_timeout') = '0' AS supported`
  if (!supported) return
  const [{ database }] = await tx<[{ database: string }]>`SELECT current_database() AS database`
  await tx`
    ALTER ROLE SESSION_USER IN DATABASE ${tx(database)}
    SET tcp_user_timeout = ${tx.unsafe(String(TCP_USER_TIMEOUT_MS))}`
}
