import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { CheckResult } from '../doctor/check'
import type { Change } from '../http/change'
import type { ClientAddress } from '../http/request/client-address'
import { createAllowedMethods } from '../http/request/paths'
import type { Subscribe } from '../notifications/fan-out'
import { auditRoutes } from './audit-routes'
import { deliveryRoutes } from './delivery-routes'
import { incidentRoutes } from './incident-routes'
import { keyUseRoutes } from './key-use-routes'
import { loadPages } from './load-pages'
import { meRoutes } from './me-routes'
import { openRoutes } from './open-routes'
import { overviewRoutes } from './overview-routes'
import { pagesRoutes } from './pages-routes'
import { peopleRoutes } from './people-routes'
import { rankingHistoryRoutes } from './ranking-routes'
import { createSessionGate } from './session-gate'
import { createStreams } from './stream'
import { systemRoutes } from './system-routes'

type Deps = {
  sql: Sql
  change: Change
  clientAddress: ClientAddress
  runChecks: () => Promise<CheckResult[]>
  config: Pick<Config, 'publicUrl' | 'temporalUiUrl' | 'temporalNamespace'>
  subscribe: Subscribe
  /** The public API's routes, mounted for people. */
  records: AnyElysia
}

/** The dashboard: its gate, its server routes, its pages. `stop` ends what would hold up a drain. */
export const createDashboard = ({
  sql,
  change,
  clientAddress,
  runChecks,
  subscribe,
  config,
  records,
}: Deps) => {
  const { publicUrl, temporalUiUrl } = config
  const streams = createStreams(sql, subscribe)
  const api = new Elysia({ normalize: false })
    .use(openRoutes({ sql, clientAddress }))
    .use(meRoutes({ sql, clientAddress, temporalUiUrl }))
    .use(peopleRoutes({ sql, change, publicUrl }))
    .use(keyUseRoutes({ sql }))
    .use(rankingHistoryRoutes({ sql }))
    .use(overviewRoutes({ sql }))
    .use(auditRoutes({ sql }))
    .use(systemRoutes({ sql, runChecks }))
    .use(deliveryRoutes({ sql, change, config }))
    .use(incidentRoutes({ sql }))
    .use(streams.routes)
    .use(records)
  const gate = createSessionGate({
    sql,
    allowedMethods: createAllowedMethods(api.routes),
    clientAddress,
    publicUrl,
  })
  return {
    gate,
    routes: new Elysia({ normalize: false }).use(api).use(pagesRoutes(loadPages())),
    stop: streams.stop,
  }
}
