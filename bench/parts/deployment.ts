import { randomBytes } from 'node:crypto'
import { ensureFirstAccount } from '../../src/accounts/store'
import type { Actor, Caller } from '../../src/caller'
import { createProject } from '../../src/content/projects/store'
import { connect, type Sql } from '../../src/db/connect'
import { newId } from '../../src/ids'
import { createKey } from '../../src/keys/store'
import { createWebhook } from '../../src/webhooks/endpoints/store'
import { type Cipher, createCipher } from '../../src/webhooks/signing/encryption'
import { createDatabase } from '../../test/support/database'
import { type Lane, settingsOf } from '../../test/support/lanes'
import { spawnArden } from '../../test/support/process'
import { until } from '../../test/support/until'
import { type Child, startChild } from './child'
import { type Cpu, cpuPerOperation, type Pids, readCpu, readSettledCpu } from './cpu'
import type { Servers, Store } from './servers'

const ACTOR: Actor = { type: 'cli', id: 'bench', name: 'bench' }
/** The highest rate limit (contract 3.6). A measurement that needs more uses several keys. */
export const RATE_LIMIT = 100_000

/** A database with an account and a project, and the Arden processes that use it. */
export type Deployment = AsyncDisposable & {
  sql: Sql
  databaseUrl: string
  caller: Caller
  cipher: Cipher
  projectId: string
  store: Store
  taskQueue: string
  /** Creates keys with the highest rate limit. */
  keys: (count: number) => Promise<string[]>
  /** Creates a webhook in each mode, for `article.created`. */
  webhook: (url: string) => Promise<void>
  /** Starts `serve` from source, or of `program`. */
  serve: (program?: string[]) => Promise<ArdenProcess>
  /** Starts a worker and waits until it polls. */
  worker: (lane: Lane, program?: string[]) => Promise<ArdenProcess>
  /** Starts `serve --worker` and waits until it polls. */
  both: (lane: Lane) => Promise<ArdenProcess>
  child: <Job, Result>(name: string) => Child<Job, Result>
  /** Processes and servers of this deployment. */
  pids: Pids
  /** CPU time of `work`, divided by its number of operations. */
  cpu: <T extends { operations: number }>(work: () => Promise<T>) => Promise<T & { cpu: Cpu }>
}

type ArdenProcess = { url: string; pid: number; stop: () => Promise<void> }

export const createDeployment = async (
  servers: Servers,
  store: Store = servers.stores[0],
): Promise<Deployment> => {
  const database = await createDatabase({ server: servers })
  const encryptionKey = randomBytes(32)
  const cipher = createCipher(encryptionKey)
  const taskQueue = `bench-${randomBytes(6).toString('hex')}`
  const sql = connect(database.url, { name: 'bench', max: 4 })
  const account = await sql.begin(tx => ensureFirstAccount(tx, ACTOR))
  if (account === undefined) throw new Error('the database of the bench was not empty')
  const caller: Caller = {
    accountId: account.id,
    mode: 'live',
    actor: { type: 'key', id: newId('key'), name: 'bench' },
    scopes: ['read', 'write'],
    address: '127.0.0.1',
  }
  const project = await sql.begin(tx => createProject(tx, caller, { name: 'Bench' }))
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: store.address,
    ARDEN_WORKFLOW_BUNDLE: servers.workflowBundle,
    ARDEN_TASK_QUEUE: taskQueue,
    ARDEN_ENCRYPTION_KEY: encryptionKey.toString('hex'),
    ARDEN_ALLOW_PRIVATE_WEBHOOKS: '1',
  }
  const pids: Pids = {
    ...(servers.postgresPid !== undefined && { postgres: servers.postgresPid }),
    ...(store.pid !== undefined && { temporal: store.pid }),
  }
  const stops: (() => Promise<unknown>)[] = [database.drop, () => sql.end()]

  const start = async (
    role: 'serve' | 'worker',
    program: string[] | undefined,
    settings: Record<string, string>,
    options: string[] = [],
  ) => {
    const all = { ...env, ...settings }
    const more = { ...(program && { program }), options }
    const { url, pid, kill } = await spawnArden(role, all, more)
    const stop = async () => void (await kill('SIGKILL'))
    stops.push(stop)
    pids[role] = pid
    return { url, pid, stop }
  }
  const polls = (worker: ArdenProcess) =>
    until('the worker polls', async () => {
      const rows = await sql`SELECT FROM workers WHERE id LIKE ${`%:${worker.pid}`}`
      return rows.length > 0
    })
  return {
    sql,
    databaseUrl: database.url,
    caller,
    cipher,
    projectId: project.id,
    store,
    taskQueue,
    pids,
    keys: count =>
      sql.begin(async tx => {
        const by = { accountId: caller.accountId, actor: ACTOR, address: null }
        const keys: string[] = []
        for (let n = 0; n < count; n++) {
          const input = { name: 'bench', scopes: caller.scopes, mode: caller.mode }
          keys.push((await createKey(tx, by, { ...input, rate_limit: RATE_LIMIT })).key)
        }
        return keys
      }),
    webhook: async url => {
      for (const mode of ['live', 'test'] as const)
        await sql.begin(tx =>
          createWebhook(tx, cipher, { ...caller, mode }, { url, events: ['article.created'] }),
        )
    },
    serve: program => start('serve', program, {}),
    worker: async (lane, program) => {
      const worker = await start('worker', program, settingsOf(lane))
      await polls(worker)
      return worker
    },
    both: async lane => {
      const both = await start('serve', undefined, settingsOf(lane), ['--worker'])
      await polls(both)
      return both
    },
    child: <Job, Result>(name: string) => {
      const child = startChild<Job, Result>(name)
      stops.push(child.stop)
      pids[name] = child.pid
      return child
    },
    cpu: async work => {
      const before = await readCpu(pids)
      const done = await work()
      return { ...done, cpu: cpuPerOperation(before, await readSettledCpu(pids), done.operations) }
    },
    [Symbol.asyncDispose]: async () => {
      for (const stop of stops.reverse()) await stop()
    },
  }
}
