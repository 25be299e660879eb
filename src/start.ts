import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app'
import { type Config, requireSetting } from './config'
import { runDeletions } from './content/deletions'
import { connect, type Sql, withTimeout } from './db/connect'
import { explainDatabaseError, notMigratedError } from './db/database-error'
import { requireWritable } from './db/read-only'
import { isMigrated } from './db/schema-state'
import { checkSystem } from './doctor/run'
import { connectForReads } from './http/read'
import { connectForAdmission } from './http/request/admission'
import { createRouteOf } from './http/request/paths'
import { createRequestObserver } from './http/request-observer'
import { byName, startHttpServer } from './http/server'
import type { Log } from './log'
import { runMailSender } from './mail/sender'
import { canSendMail, createDelivery, type MailTarget } from './mail/target'
import { type Meter, noMeter } from './metrics/meter'
import type { PublishChange } from './notifications/changes'
import { createWaker } from './notifications/wake'
import { composeInvitation, composePasswordReset } from './people/mails'
import { recordEmailError } from './people/sign-in-links'
import { composeWebhookDisabled } from './webhooks/endpoints/disabled-mail'
import { checkEncryptionKey, createCipher, watchEncryptionKey } from './webhooks/signing/encryption'

/**
 * Maximum time of a stop, in ms; docs/operations.md says 35 s. Another process repeats what was still running.
 */
const STOP_MS = 34_000

export type Roles = { serve?: boolean; worker?: boolean }
/**
 * `ready` resolves when the worker of this process polls Temporal, without that role at once. `ended` resolves when it is
 * stopped, and rejects when the encryption key was changed meanwhile.
 */
type RunningArden = {
  url: string
  metricsUrl: string | undefined
  ready: Promise<void>
  ended: Promise<void>
  stop: () => Promise<void>
}

/**
 * Creates all parts and connects them. `serve` needs PostgreSQL only, `worker` also Temporal. `url` is empty
 * without `serve`.
 * @throws {StartError} for an invalid setting, a port in use, or a database that cannot be used.
 */
export const start = async (
  config: Config & MailTarget & { embedded?: boolean },
  roles: Roles,
  log: Log,
): Promise<RunningArden> => {
  const sql = connect(requireSetting(config.databaseUrl, 'DATABASE_URL'), {
    name: `arden ${config.identity}`,
  })
  // Parts stop concurrently, so that a hanging one does not delay the others. Shared resources close after
  // them.
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
        `Shutdown did not finish within ${STOP_MS / 1000} s. Unfinished work is repeated by another worker or after a restart.`,
      )
  }
  try {
    await checkDatabase(sql, config)
    const cipher = createCipher(...requireSetting(config.encryptionKeys, 'ARDEN_ENCRYPTION_KEY'))
    await checkEncryptionKey(sql, cipher)
    const watching = new AbortController()
    const ended = watchEncryptionKey(sql, cipher, watching.signal)
    ended.catch(() => {}) // Its caller reports it.
    parts.push(async () => watching.abort())

    const waker = createWaker(requireSetting(config.databaseUrl, 'DATABASE_URL'))
    used.push(waker.stop)
    const { wake: wakeDispatchers, publishChange } = waker
    if (config.tracing !== undefined) {
      const { startTracing } = await import('./tracing/start')
      used.push(startTracing(config.tracing, log))
    }
    const metrics = await startMetrics(config, roles, sql, log)
    const meter = metrics?.meter ?? noMeter
    // Metrics are served until the parts have stopped.
    if (metrics !== undefined) used.push(metrics.stop)
    let url = ''
    let ready = Promise.resolve()
    if (roles.worker) {
      // Lazy: `serve` starts sooner without Temporal's native library.
      const { startWorker } = await import('./worker')
      const worker = startWorker({
        config,
        sql,
        cipher,
        log,
        meter,
        waker,
        workflows: config.workflowBundle,
      })
      parts.push(worker.stop)
      ready = worker.ready
      const stopping = new AbortController()
      const deletions = runDeletions(sql, log, wakeDispatchers, stopping.signal)
      const { llm } = config
      // Lazy: only workers with language models need the libraries of providers.
      const tests =
        llm &&
        import('./content/generations/provider-tests/runner').then(({ runProviderTests }) =>
          runProviderTests({ sql, llm, log }, stopping.signal),
        )
      parts.push(() => {
        stopping.abort()
        return Promise.all([deletions, tests])
      })
    }
    if (roles.serve) {
      const databaseUrl = requireSetting(config.databaseUrl, 'DATABASE_URL')
      const readSql = connectForReads(databaseUrl, `arden reads ${config.identity}`)
      used.push(() => readSql.end({ timeout: 5 }))
      const admissionSql = connectForAdmission(databaseUrl, `arden admission ${config.identity}`)
      used.push(() => admissionSql.end({ timeout: 5 }))
      const { app, stop, recordFailure, flush } = createApp({
        sql,
        readSql,
        admissionSql,
        cipher,
        log,
        meter,
        config,
        wakeDispatchers,
        publishChange,
        checkSystem: () => checkSystem({ config, sql }),
      })
      const observe = createRequestObserver({
        routeOf: createRouteOf(app.routes),
        meter,
        log,
        recordFailure,
      })
      const server = startHttpServer(app, { ...config, setting: 'PORT' }, observe)
      parts.push(server.stop, async () => stop())
      used.push(flush)
      url = server.url
    }
    if (roles.worker && canSendMail(config))
      parts.push(
        startMailSender(
          config,
          { sql, log, meter, publishChange },
          config.publicUrl ?? byName(url),
        ),
      )
    return { url, metricsUrl: metrics?.url, ready, ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns what stops it. */
const startMailSender = (
  config: MailTarget,
  deps: { sql: Sql; log: Log; meter: Meter; publishChange: PublishChange },
  base: string,
) => {
  const { sql, publishChange } = deps
  const stopping = new AbortController()
  const compose = {
    invitation: composeInvitation(sql, base),
    password_reset: composePasswordReset(sql, base),
    webhook_disabled: composeWebhookDisabled(sql, base),
  }
  const onUnsentLink = async (linkId: string, reason: string) => {
    const accountId = await recordEmailError(sql, linkId, reason)
    if (accountId !== undefined) publishChange({ accountId, mode: 'live' }, 'people')
  }
  const running = runMailSender(
    { ...deps, deliver: createDelivery(config), compose, onUnsentLink },
    stopping.signal,
  )
  return () => {
    stopping.abort()
    return running
  }
}

/** Undefined without ARDEN_METRICS_PORT; then no metrics library is loaded. */
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
    const { registerSnapshotGauge } = await import('./metrics/snapshot-gauge')
    registerSnapshotGauge(registry, sql)
    const { enableTemporalMetrics } = await import('./temporal/metrics')
    others.push(await enableTemporalMetrics(log))
  }
  const app = createMetricsApp(registry, others)
  const { url, stop } = startHttpServer(app, { host, port, setting: 'ARDEN_METRICS_PORT' })
  return { meter, url: `${url}/metrics`, stop }
}

const checkDatabase = async (sql: Sql, config: Config) => {
  const url = config.databaseUrl ?? ''
  try {
    if (!(await withTimeout(isMigrated(sql)))) throw notMigratedError(url)
    await withTimeout(requireWritable(sql))
  } catch (error) {
    throw explainDatabaseError(url, error) ?? error
  }
}
