import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app'
import { type Config, required } from './config'
import { runDeletions } from './content/deletions'
import { connect, describeUrl } from './db/connect'
import { isMigrated } from './db/migrate'
import { StartError } from './errors'
import { listen } from './http/listen'
import type { Log } from './log'
import { createWaker } from './outbox/wake'
import { checkEncryptionKey, createCipher } from './webhooks/encryption'

/**
 * A stop takes no longer than this, in ms, whatever hangs: operators are told 35 s. What is still under way
 * then is made again elsewhere.
 */
const STOP_MS = 34_000

export type Roles = { serve?: boolean; worker?: boolean }
/** `ready` resolves when a worker of this process polls; without that role, at once. */
export type Running = { url: string; ready: Promise<void>; stop: () => Promise<void> }

/**
 * Makes the parts and joins them: the one place that knows them all. `serve` talks to Postgres alone;
 * `worker` also to Temporal. `url` is the API's, empty where this process does not serve.
 * @throws {StartError} for a setting, a port, a database that cannot be used.
 */
export const start = async (
  config: Config & { embedded?: boolean },
  roles: Roles,
  log: Log,
): Promise<Running> => {
  const sql = connect(required(config.databaseUrl, 'DATABASE_URL'), {
    name: `arden ${config.identity}`,
  })
  // The parts drain at the same time, so that one that hangs keeps no other from it; then what they use.
  const parts: (() => Promise<unknown>)[] = []
  const used: (() => Promise<unknown>)[] = [() => sql.end({ timeout: 5 })]
  const stopAll = async () => {
    await Promise.all(parts.splice(0).map(end => end()))
    for (const end of used.splice(0).reverse()) await end()
    return true
  }
  const stop = async () => {
    const late = sleep(STOP_MS, false, { ref: false })
    if (!(await Promise.race([stopAll(), late])))
      log.warn(
        `Not everything ended within ${STOP_MS / 1000} s of the stop; what was under way is made again.`,
      )
  }
  try {
    await checkDatabase(sql, config)
    const cipher = createCipher(...required(config.encryptionKeys, 'ARDEN_ENCRYPTION_KEY'))
    await checkEncryptionKey(sql, cipher)

    const waker = createWaker(required(config.databaseUrl, 'DATABASE_URL'))
    used.push(waker.stop)
    const { wake: committed, changed } = waker
    let url = ''
    let ready = Promise.resolve()
    if (roles.worker) {
      // Loaded here: `serve` needs no Temporal, and starts sooner without its native library.
      const { startWorker } = await import('./temporal/worker')
      const worker = startWorker({
        config,
        sql,
        cipher,
        log,
        committed,
        changed,
        workflows: config.workflowBundle,
      })
      parts.push(worker.stop)
      ready = worker.ready
      const stopping = new AbortController()
      const deletions = runDeletions(sql, log, committed, stopping.signal)
      parts.push(() => {
        stopping.abort()
        return deletions
      })
    }
    if (roles.serve) {
      const { app, stop, flush } = createApp({
        sql,
        cipher,
        log,
        config,
        committed,
        changed,
        runChecks: async () => [],
      })
      const server = listen(app, config)
      parts.push(server.stop, async () => stop())
      used.push(flush)
      url = server.url
    }
    return { url, ready, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const checkDatabase = async (sql: ReturnType<typeof connect>, config: Config) => {
  const where = describeUrl(config.databaseUrl ?? '')
  const migrated = await isMigrated(sql).catch(error => {
    throw new StartError(
      `The database at ${where} cannot be used: ${error.message}. Check DATABASE_URL.`,
    )
  })
  if (!migrated)
    throw new StartError(`The database at ${where} is not migrated. Run \`arden migrate\` first.`)
}
