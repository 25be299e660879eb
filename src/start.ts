import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app'
import { type Config, requireSetting } from './config'
import { runDeletions } from './content/deletions'
import { connect, type Sql, withTimeout } from './db/connect'
import { explainDatabaseError, notMigratedError } from './db/database-error'
import { isMigrated } from './db/schema-state'
import { checkSystem } from './doctor/run'
import { createRouteOf } from './http/request/paths'
import { createRequestObserver } from './http/request-observer'
import { startHttpServer } from './http/server'
import type { Log } from './log'
import { noMeter } from './metrics/meter'
import { createWaker } from './notifications/wake'
import { checkEncryptionKey, createCipher } from './webhooks/signing/encryption'

/**
 * A stop takes no longer than this, in ms, whatever hangs: operators are told 35 s. What is still under way
 * then is made again elsewhere.
 */
const STOP_MS = 34_000

export type Roles = { serve?: boolean; worker?: boolean }
/**
 * `ready` resolves when a worker of this process polls; without that role, at once. `metricsUrl` is that of
 * `/metrics`, where it was asked for.
 */
export type RunningArden = {
  url: string
  metricsUrl: string | undefined
  ready: Promise<void>
  stop: () => Promise<void>
}

/**
 * Makes the parts and joins them: the one place that knows them all. `serve` talks to Postgres alone;
 * `worker` also to Temporal. `url` is the API's, empty where this process does not serve.
 * @throws {StartError} for a setting, a port, a database that cannot be used.
 */
export const start = async (
  config: Config & { embedded?: boolean },
  roles: Roles,
  log: Log,
): Promise<RunningArden> => {
  const sql = connect(requireSetting(config.databaseUrl, 'DATABASE_URL'), {
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
    const cipher = createCipher(...requireSetting(config.encryptionKeys, 'ARDEN_ENCRYPTION_KEY'))
    await checkEncryptionKey(sql, cipher)

    const waker = createWaker(requireSetting(config.databaseUrl, 'DATABASE_URL'))
    used.push(waker.stop)
    const { wake: wakeDispatchers, publishChange } = waker
    if (config.tracing !== undefined) {
      const { startTracing } = await import('./tracing/start')
      used.push(startTracing(config.tracing, log))
    }
    const metrics = await startMetrics(config, roles, sql, log)
    const meter = metrics?.meter ?? noMeter
    // Told until the parts have drained.
    if (metrics !== undefined) used.push(metrics.stop)
    let url = ''
    let ready = Promise.resolve()
    if (roles.worker) {
      // Loaded here: `serve` needs no Temporal, and starts sooner without its native library.
      const { startWorker } = await import('./worker')
      const worker = startWorker({
        config,
        sql,
        cipher,
        log,
        meter,
        wakeDispatchers,
        publishChange,
        workflows: config.workflowBundle,
      })
      parts.push(worker.stop)
      ready = worker.ready
      const stopping = new AbortController()
      const deletions = runDeletions(sql, log, wakeDispatchers, stopping.signal)
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
        meter,
        config,
        wakeDispatchers,
        publishChange,
        checkSystem: () => checkSystem({ config, sql }),
      })
      const observe = createRequestObserver({ routeOf: createRouteOf(app.routes), meter, log })
      const server = startHttpServer(app, { ...config, setting: 'PORT' }, observe)
      parts.push(server.stop, async () => stop())
      used.push(flush)
      url = server.url
    }
    return { url, metricsUrl: metrics?.url, ready, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Undefined where no metrics are asked for: then nothing of them is loaded. */
const startMetrics = async (config: Config, roles: Roles, sql: Sql, log: Log) => {
  const { host, metricsPort: port } = config
  if (port === undefined) return undefined
  const { createMetrics } = await import('./metrics/registry')
  const { createMetricsApp } = await import('./metrics/endpoint')
  const { registry, meter } = createMetrics()
  const others: (() => Promise<string>)[] = []
  if (roles.worker) {
    const { registerStateGauges } = await import('./metrics/state-gauges')
    registerStateGauges(registry, sql)
    const { enableTemporalMetrics } = await import('./temporal/metrics')
    others.push(await enableTemporalMetrics(log))
  }
  const app = createMetricsApp(registry, others)
  const { url, stop } = startHttpServer(app, { host, port, setting: 'ARDEN_METRICS_PORT' })
  return { meter, url: `${url}/metrics`, stop }
}

const checkDatabase = async (sql: Sql, config: Config) => {
  const url = config.databaseUrl ?? ''
  const migrated = await withTimeout(isMigrated(sql)).catch(error => {
    throw explainDatabaseError(url, error) ?? error
  })
  if (!migrated) throw notMigratedError(url)
}
