import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createAccount, ensureFirstAccount } from '../../src/accounts/store'
import type { Actor, Mode, Scope } from '../../src/caller'
import { readConfig } from '../../src/config'
import { connect, type Sql } from '../../src/db/connect'
import { createKey } from '../../src/keys/store'
import { createLog } from '../../src/log'
import { type Roles, start } from '../../src/start'
import { type Client, client } from './client'
import { createDatabase } from './database'
import { testEnvironment } from './environment'
import { stopAfterTests } from './stop-after-tests'
import { createTaskQueue } from './task-queue'

const ACTOR: Actor = { type: 'cli', id: `tests@${hostname()}`, name: 'tests' }

export type Arden = {
  url: string
  sql: Sql
  /** The environment of a further process on the same database, Temporal and task queue. */
  env: Record<string, string>
  accountId: string
  /** The id of another account. */
  newAccount: () => Promise<string>
  /** A client with a fresh key. */
  client: (options?: NewKey) => Promise<Client>
  key: (options?: NewKey) => Promise<{ id: string; key: string }>
  stop: () => Promise<void>
}

type NewKey = {
  mode?: Mode
  scopes?: Scope[]
  rate_limit?: number
  expires_at?: string
  accountId?: string
}

/** `startArden`, stopped after the tests of the file or `describe`. */
export const useArden = async (...options: Parameters<typeof startArden>): Promise<Arden> =>
  stopAfterTests(await startArden(...options))

/** Arden in this process, on a database of its own and a task queue of its own. */
export const startArden = async (
  roles: Roles,
  settings: Record<string, string> = {},
): Promise<Arden> => {
  const database = await createDatabase()
  const { taskQueue, clear } = createTaskQueue()
  const { temporalAddress, workflowBundle } = testEnvironment()
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporalAddress,
    ARDEN_WORKFLOW_BUNDLE: workflowBundle,
    ARDEN_TASK_QUEUE: taskQueue,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LOG_LEVEL: 'fatal',
    ...settings,
  }
  const config = readConfig(env)
  const running = await start(config, roles, createLog(config))
  await running.ready
  const sql = connect(database.url, { name: 'test', max: 4 })
  const account = await sql.begin(tx => ensureFirstAccount(tx, ACTOR))
  if (account === undefined) throw new Error('the test database was not empty')

  const key = ({ accountId = account.id, ...options }: NewKey = {}) =>
    sql.begin(tx =>
      createKey(
        tx,
        { accountId, actor: ACTOR, address: null },
        { name: 'test', scopes: ['read', 'write'], mode: 'live', rate_limit: 100_000, ...options },
      ),
    )
  return {
    url: running.url,
    sql,
    env,
    accountId: account.id,
    newAccount: async () => (await sql.begin(tx => createAccount(tx, ACTOR, 'Other'))).id,
    key,
    client: async options => client(running.url, (await key(options)).key),
    stop: async () => {
      await running.stop()
      await clear()
      await sql.end()
      await database.drop()
    },
  }
}
