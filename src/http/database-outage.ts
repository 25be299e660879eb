import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable, type Sql, withTimeout } from '../db/connect'
import { requireWritable } from '../db/read-only'
import { explainTlsError } from '../db/tls-error'
import { DomainError } from '../errors'
import type { Log } from '../log'

/** Pause between two checks whether an outage is over, in ms. */
const CHECK_MS = 1_000
/**
 * Time without a failed request before an outage counts as over, in ms. The check changes nothing, so it also succeeds
 * where only some requests fail, as on a full disk. Longer than `Retry-After`.
 */
const QUIET_MS = 5_000
/** Time before the same reason is logged again, in ms. */
const REPEAT_MS = 60_000

/**
 * Logs outages of PostgreSQL that requests run into: each reason at once and then every minute, however many requests
 * fail, and the recovery. Between them it checks the database, so both are logged without further requests.
 */
export const createOutageLog = (
  sql: Sql,
  log: Log,
): { report(error: unknown): void; stop(): void } => {
  const stopping = new AbortController()
  const { signal } = stopping
  /** When each reason was logged, by the code of its error. Empty while there is no outage. */
  const loggedAt = new Map<unknown, number>()
  let failedAt = 0
  const report = (thrown: unknown) => {
    const error = thrown instanceof DomainError ? thrown.cause : thrown
    if (signal.aborted || !(error instanceof Error) || !isDatabaseUnavailable(error)) return
    failedAt = performance.now()
    const isFirst = loggedAt.size === 0
    const code = 'code' in error && error.code
    if (failedAt - (loggedAt.get(code) ?? -REPEAT_MS) >= REPEAT_MS) {
      loggedAt.set(code, failedAt)
      const reason = explainTlsError(error) ?? error.message
      log.warn(`Postgres: ${reason}. Requests get a 503 until it is available.`)
    }
    if (isFirst) void watch()
  }
  const isOver = () =>
    withTimeout(requireWritable(sql)).then(
      () => performance.now() - failedAt >= QUIET_MS,
      error => {
        report(error)
        return false
      },
    )
  const watch = async () => {
    do await sleep(CHECK_MS, undefined, { signal, ref: false }).catch(() => {})
    while (!(signal.aborted || (await isOver())))
    if (signal.aborted) return
    loggedAt.clear()
    log.info('Postgres: available again.')
  }
  return { report, stop: () => stopping.abort() }
}
