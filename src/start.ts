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
  const stops: (() => Promise<unknown>)[] = [() => sql.end({ timeout: 5 })]
  const stop = async () => {
    for (const part of stops.splice(0).reverse()) await part()
  }
  try {
    await checkDatabase(sql, config)
    const cipher = createCipher(required(config.encryptionKey, 'ARDEN_ENCRYPTION_KEY'))
    await checkEncryptionKey(sql, cipher)

    const waker = createWaker(required(config.databaseUrl, 'DATABASE_URL'))
    stops.push(waker.stop)
    const committed = waker.wake
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
        workflows: config.workflowBundle,
      })
      stops.push(worker.stop)
      ready = worker.ready
      const stopping = new AbortController()
      const deletions = runDeletions(sql, log, stopping.signal)
      stops.push(async () => {
        stopping.abort()
        await deletions
      })
    }
    if (roles.serve) {
      const app = createApp({ sql, cipher, log, config, committed })
      const server = listen(app, config)
      stops.push(server.stop)
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
