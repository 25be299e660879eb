import { Elysia } from 'elysia'
import { usageRoutes } from './accounts/usage-routes'
import type { Config } from './config'
import { articleRoutes } from './content/article-routes'
import { generationRoutes } from './content/generation-routes'
import { keywordRoutes } from './content/keyword-routes'
import { projectRoutes } from './content/project-routes'
import { rankingRoutes } from './content/ranking-routes'
import { createDashboard } from './dashboard/app'
import { kindsOf } from './dashboard/kinds'
import { RECORDS } from './dashboard/paths'
import type { Sql } from './db/connect'
import type { Check } from './doctor/check'
import { createClientAddress } from './http/address'
import { readJson } from './http/body'
import { createChange } from './http/change'
import { docsPage } from './http/docs-page'
import { answerError } from './http/errors'
import { BASE_PATH, createGate, early, keyValueOf } from './http/gate'
import { createGuessDelay } from './http/guessing'
import { healthRoutes } from './http/health'
import { answerJson } from './http/large-answer'
import { openApiDocument } from './http/openapi'
import { readQuery } from './http/paging'
import { createAllowedMethods } from './http/paths'
import { isAdmitted } from './keys/active'
import { createAdmit } from './keys/admit'
import { createRequestCounts } from './keys/request-counts'
import { keyRoutes } from './keys/routes'
import type { Log } from './log'
import type { Meter } from './metrics/meter'
import { createFanOut } from './outbox/fan-out'
import type { Changed } from './outbox/hints'
import { webhookDocument } from './webhooks/document'
import type { Cipher } from './webhooks/encryption'
import { webhookRoutes } from './webhooks/routes'
import { createEventStreams } from './webhooks/stream-routes'

export type AppParts = {
  sql: Sql
  cipher: Cipher
  log: Log
  meter: Meter
  config: Pick<
    Config,
    | 'trustedProxies'
    | 'publicUrl'
    | 'temporalUiUrl'
    | 'temporalNamespace'
    | 'retentionDays'
    | 'allowPrivateWebhooks'
    | 'maxKeys'
    | 'maxWebhooks'
  >
  /** Called after each commit: wakes the dispatchers. */
  committed: () => void
  /** Tells the open dashboards. */
  changed: Changed
  /** Looks at what all this rests on. */
  runChecks: () => Promise<Check[]>
}

/**
 * The HTTP API and the dashboard: what every request passes, then the routes, in order. `stop` is called when
 * a drain begins, `flush` when it is over.
 */
export const createApp = ({
  sql,
  cipher,
  log,
  meter,
  config,
  committed,
  changed,
  runChecks,
}: AppParts) => {
  const change = createChange(sql, ({ caller, request, path }) => {
    committed()
    changed(caller, ...kindsOf(request.method, path))
  })
  const records = <const P extends string>(prefix: P) =>
    new Elysia({ prefix, normalize: false })
      .use(keyRoutes({ sql, change, maxKeys: config.maxKeys }))
      .use(usageRoutes({ sql }))
      .use(
        webhookRoutes({
          sql,
          change,
          cipher,
          allowPrivate: config.allowPrivateWebhooks,
          maxWebhooks: config.maxWebhooks,
        }),
      )
      .use(projectRoutes({ sql, change }))
      .use(keywordRoutes({ sql, change }))
      .use(rankingRoutes({ sql, change }))
      .use(articleRoutes({ sql, change }))
      .use(generationRoutes({ sql, change }))
  const clientAddress = createClientAddress(config.trustedProxies)
  const counts = createRequestCounts(sql)
  const subscribe = createFanOut(sql)
  const streams = createEventStreams({
    sql,
    log,
    subscribe,
    retentionDays: config.retentionDays,
    isAdmitted: request => isAdmitted(sql, keyValueOf(request) ?? ''),
  })
  const api = records(BASE_PATH).use(streams.routes)
  const gate = createGate({
    admit: counts.counting(createAdmit(sql)),
    allowedMethods: createAllowedMethods(api.routes),
    clientAddress,
    delayGuess: createGuessDelay(),
    meter,
  })
  const dashboard = createDashboard({
    sql,
    change,
    clientAddress,
    runChecks,
    subscribe,
    config,
    records: records(RECORDS),
  })

  // Elysia else looks for the path from the URL's eleventh character on, and a host may be called `api`.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onError(({ error, set }) => answerError(error, set, log))
    .onRequest(early(gate))
    .onRequest(early(dashboard.gate))
    .onParse(({ request }) => readJson(request))
    .onTransform(readQuery)
    .use(healthRoutes(sql))
    .use(openApiDocument(config.publicUrl, webhookDocument))
    .use(docsPage)
    .onAfterHandle(answerJson)
    .use(api)
    .use(dashboard.routes)
  const stop = () => {
    dashboard.stop()
    streams.stop()
  }
  return { app, stop, flush: counts.stop }
}
