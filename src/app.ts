import { Elysia } from 'elysia'
import type { Config } from './config'
import { articleRoutes } from './content/articles/routes'
import { createLinkCheck, LINKS_TIMEOUT_MS } from './content/checks/links'
import { checkRoutes } from './content/checks/routes'
import { articleExportRoutes } from './content/export/routes'
import { generationRoutes } from './content/generations/routes'
import { keywordBatchRoutes } from './content/keywords/batch-routes'
import { keywordRoutes } from './content/keywords/routes'
import { projectRoutes } from './content/projects/routes'
import { rankingRoutes } from './content/rankings/routes'
import { rankRunRoutes } from './content/rankings/run-routes'
import { createDashboard } from './dashboard/app'
import { RECORDS } from './dashboard/paths'
import type { Sql } from './db/connect'
import type { CheckResult } from './doctor/check'
import { checkUnreadWrites, createChange, limitTransactions } from './http/change'
import { createOutageLog } from './http/database-outage'
import { guideRoutes } from './http/docs/guide-routes'
import { referenceRoutes } from './http/docs/reference'
import { docsTheme } from './http/docs/theme'
import { healthRoutes } from './http/health'
import { openApiDocument } from './http/openapi/document'
import { checkUnread, createRead } from './http/read'
import { createAuthThrottle } from './http/request/auth-throttle'
import { readJsonBody } from './http/request/body'
import { createClientAddress } from './http/request/client-address'
import { asEarlyHook, BASE_PATH, createGate, readKeyValue } from './http/request/gate'
import { createAllowedMethods } from './http/request/paths'
import { readQuery } from './http/request/query'
import { createRequestCheck, type Route } from './http/request/request-check'
import { setErrorBody } from './http/response/error-body'
import { toErrorResponse } from './http/response/errors'
import { createJsonResponse } from './http/response/json-response'
import { securityHeaders } from './http/response/security-headers'
import { createUnreadLimit } from './http/response/unread-limit'
import { createAdmit } from './keys/admit'
import { keyRoutes } from './keys/routes'
import { findKeyStatus, isKeyActive } from './keys/status'
import type { Log } from './log'
import type { MailTarget } from './mail/target'
import type { Meter } from './metrics/meter'
import type { PublishChange } from './notifications/changes'
import { createFanOut } from './notifications/fan-out'
import { createRequestRecorder } from './requests/recorder'
import { requestRoutes } from './requests/routes'
import { usageRoutes } from './usage/routes'
import { createEventStreams } from './webhooks/event-stream/routes'
import { webhookDocument } from './webhooks/events/openapi-webhooks'
import { webhookRoutes } from './webhooks/routes'
import type { Cipher } from './webhooks/signing/encryption'
import { createPost } from './webhooks/transport/post'

type AppParts = {
  sql: Sql
  /** The pool of `connectForReads`. */
  readSql: Sql
  /** The pool of `connectForAdmission`. */
  admissionSql: Sql
  cipher: Cipher
  log: Log
  meter: Meter
  config: Pick<
    Config,
    | 'trustedProxies'
    | 'publicUrl'
    | 'oidc'
    | 'temporalUiUrl'
    | 'temporalNamespace'
    | 'retentionDays'
    | 'allowPrivateWebhooks'
    | 'maxKeys'
    | 'maxWebhooks'
  > &
    MailTarget
  /** Called after each commit to wake the dispatchers. */
  wakeDispatchers: () => void
  /** Called after each commit to notify open dashboards and event streams. */
  publishChange: PublishChange
  /** Checks the database and the settings, for the system page of the dashboard. */
  checkSystem: () => Promise<CheckResult[]>
}

/**
 * The HTTP API and the dashboard, in the order in which a request passes them (contract 1.1, 2.3). Call `stop` when
 * shutdown begins, and `flush` when all requests have finished.
 */
export const createApp = ({
  sql,
  readSql,
  admissionSql,
  cipher,
  log,
  meter,
  config,
  wakeDispatchers,
  publishChange,
  checkSystem,
}: AppParts) => {
  const ofProcess = limitTransactions()
  const uncheckedChange = createChange(sql, ofProcess, ({ caller, topics }) => {
    wakeDispatchers()
    publishChange(caller, ...topics)
  })
  const unread = createUnreadLimit()
  const change = checkUnreadWrites(uncheckedChange, unread)
  const uncheckedRead = createRead(readSql)
  const read = checkUnread(uncheckedRead, unread)
  const checkLinks = createLinkCheck({
    post: createPost({ timeoutMs: LINKS_TIMEOUT_MS }),
    rules: { allowPrivate: config.allowPrivateWebhooks },
  })
  // Created once for the API and the dashboard, because some of these routes keep limits per account (contract 9.1).
  const records = new Elysia({ normalize: false })
    .use(keyRoutes({ read: uncheckedRead, change: uncheckedChange, maxKeys: config.maxKeys }))
    .use(usageRoutes({ read }))
    .use(requestRoutes({ read }))
    .use(
      webhookRoutes({
        read,
        change,
        cipher,
        allowPrivate: config.allowPrivateWebhooks,
        maxWebhooks: config.maxWebhooks,
      }),
    )
    .use(projectRoutes({ read, change }))
    .use(keywordRoutes({ read, change }))
    .use(keywordBatchRoutes({ change }))
    .use(rankingRoutes({ read, change }))
    .use(rankRunRoutes({ read, change }))
    .use(articleRoutes({ sql, ofProcess, read, change }))
    .use(articleExportRoutes({ read, unread }))
    .use(checkRoutes({ read, checkLinks }))
    .use(generationRoutes({ read, change }))
  const clientAddress = createClientAddress(config.trustedProxies)
  const requests = createRequestRecorder(sql, meter, publishChange)
  const subscribe = createFanOut(sql)
  const streams = createEventStreams({
    read,
    unread,
    log,
    subscribe,
    retentionDays: config.retentionDays,
    isAdmitted: request => isKeyActive(sql, readKeyValue(request) ?? ''),
  })
  const api = new Elysia({ prefix: BASE_PATH, normalize: false }).use(records).use(streams.routes)
  const gate = createGate({
    admit: requests.countRequests(createAdmit(admissionSql)),
    findKeyStatus,
    allowedMethods: createAllowedMethods(api.routes),
    clientAddress,
    throttleAuth: createAuthThrottle(),
    meter,
  })
  const dashboard = createDashboard({
    sql,
    admissionSql,
    read,
    uncheckedRead,
    unread,
    change: uncheckedChange,
    cipher,
    clientAddress,
    runChecks: checkSystem,
    publishChange,
    subscribe,
    config,
    log,
    records: new Elysia({ prefix: RECORDS, normalize: false }).use(records),
  })

  const outages = createOutageLog(sql, log)
  // By default Elysia searches the path from the 11th character of the URL, which is wrong for short host
  // names.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .headers(securityHeaders(config.publicUrl))
    .onError(({ error, set, request }) => {
      outages.report(error)
      return setErrorBody(request, toErrorResponse(error, set, log))
    })
    .onRequest(asEarlyHook(gate))
    .onRequest(asEarlyHook(dashboard.gate))
    .onParse(({ request }) => readJsonBody(request))
    .onTransform(readQuery)
    .onTransform(createRequestCheck(listRoutes))
    .use(healthRoutes(sql))
    .use(openApiDocument(config.publicUrl, webhookDocument))
    .use(referenceRoutes)
    .use(docsTheme)
    .use(guideRoutes(config.publicUrl))
    .onAfterHandle(createJsonResponse(unread))
    .use(api)
    .use(dashboard.routes)
  function listRoutes(): readonly Route[] {
    return app.routes
  }
  const stop = () => {
    dashboard.stop()
    streams.stop()
    outages.stop()
  }
  return { app, stop, recordFailure: requests.recordFailure, flush: requests.stop }
}
