import { type AnyElysia, Elysia } from 'elysia'
import { type Config, requireSetting } from '../config'
import type { Sql } from '../db/connect'
import type { CheckResult } from '../doctor/check'
import type { Change } from '../http/change'
import type { Read, UncheckedRead } from '../http/read'
import type { ClientAddress } from '../http/request/client-address'
import { createAllowedMethods } from '../http/request/paths'
import type { UnreadLimit } from '../http/response/unread-limit'
import type { Log } from '../log'
import { canSendMail, type MailTarget } from '../mail/target'
import type { PublishChange } from '../notifications/changes'
import type { Subscribe } from '../notifications/fan-out'
import { createOidcProvider } from '../people/oidc/provider'
import { createLimitAttempts } from '../people/sign-in-throttle'
import { createVisitorLimits } from '../people/visitor-limits'
import type { Cipher } from '../webhooks/signing/encryption'
import { createSessionGate } from './access/gate'
import { createRequiredRole } from './access/roles'
import { auditRoutes } from './audit/routes'
import { loadPages } from './bundle/load-pages'
import { pagesRoutes } from './bundle/routes'
import { cliSignInRoutes } from './cli-sign-in/routes'
import { deliverySearchRoutes } from './deliveries/routes'
import { eventRoutes } from './events/routes'
import { incidentRoutes } from './incidents/routes'
import { rateLimitUsageRoutes } from './keys/routes'
import { languageModelRoutes } from './language-models/routes'
import { mailboxRoutes } from './mailbox/routes'
import { overviewRoutes } from './overview/routes'
import { OIDC_PAGE } from './paths'
import { peopleRoutes } from './people/routes'
import { accountSignInRoutes } from './people/sign-in-routes'
import { projectRoutes } from './projects/routes'
import { rankingHistoryRoutes } from './rankings/routes'
import { searchRoutes } from './search/routes'
import { oidcRoutes } from './session/oidc-routes'
import { passkeyRoutes } from './session/passkey-routes'
import { passkeySignInRoutes } from './session/passkey-sign-in-routes'
import { meRoutes } from './session/routes'
import { signInRoutes } from './session/sign-in-routes'
import { createOnSignedIn } from './session/signed-in'
import { createStreams } from './stream/routes'
import { systemRoutes } from './system/routes'

type Deps = {
  sql: Sql
  admissionSql: Sql
  read: Read
  uncheckedRead: UncheckedRead
  unread: UnreadLimit
  change: Change
  cipher: Cipher
  clientAddress: ClientAddress
  runChecks: () => Promise<CheckResult[]>
  config: Pick<Config, 'publicUrl' | 'oidc' | 'temporalUiUrl' | 'temporalNamespace' | 'maxKeys'> &
    MailTarget
  publishChange: PublishChange
  subscribe: Subscribe
  log: Log
  /** The routes of the public API, mounted behind sessions. */
  records: AnyElysia
}

/** The dashboard: its gate, server routes and pages. `stop` ends its streams, which would block a drain. */
export const createDashboard = ({
  sql,
  admissionSql,
  read,
  uncheckedRead,
  unread,
  change,
  cipher,
  clientAddress,
  runChecks,
  publishChange,
  subscribe,
  config,
  log,
  records,
}: Deps) => {
  const { publicUrl, temporalUiUrl, mailbox } = config
  const sendsMail = canSendMail(config)
  const provider =
    config.oidc &&
    createOidcProvider(
      config.oidc,
      new URL(OIDC_PAGE, requireSetting(publicUrl, 'ARDEN_PUBLIC_URL')).href,
      log,
    )
  const streams = createStreams(sql, subscribe)
  const limitAttempts = createLimitAttempts(sql, log)
  const visitorLimits = createVisitorLimits(sql)
  const onSignedIn = createOnSignedIn(publishChange)
  const signInDeps = { sql, clientAddress, limitAttempts, visitorLimits, onSignedIn }
  const api = new Elysia({ normalize: false })
    .use(signInRoutes({ ...signInDeps, sendsMail, hasOidc: provider !== undefined }))
    .use(oidcRoutes({ ...signInDeps, provider }))
    .use(meRoutes({ sql, clientAddress, limitAttempts, temporalUiUrl, sendsMail, publishChange }))
    .use(passkeySignInRoutes({ ...signInDeps, publicUrl }))
    .use(passkeyRoutes({ sql, clientAddress, limitAttempts, publicUrl }))
    .use(cliSignInRoutes({ sql, change, clientAddress, visitorLimits, config }))
    .use(peopleRoutes({ read, change, publicUrl, sendsMail }))
    .use(accountSignInRoutes({ change, hasOidc: provider !== undefined }))
    .use(rateLimitUsageRoutes({ read: uncheckedRead }))
    .use(projectRoutes({ unread, read }))
    .use(rankingHistoryRoutes({ read }))
    .use(overviewRoutes({ read: uncheckedRead }))
    .use(auditRoutes({ read, unread }))
    .use(systemRoutes({ sql, runChecks }))
    .use(languageModelRoutes({ read, change }))
    .use(deliverySearchRoutes({ read, unread, change, cipher, config }))
    .use(incidentRoutes({ read, cipher }))
    .use(eventRoutes({ read }))
    .use(searchRoutes({ read }))
    .use(streams.routes)
    .use(records)
  const gate = createSessionGate({
    sql: admissionSql,
    allowedMethods: createAllowedMethods(api.routes),
    requiredRole: createRequiredRole(api.routes),
    clientAddress,
    publicUrl,
  })
  return {
    gate,
    routes: new Elysia({ normalize: false })
      .use(api)
      .use(mailbox === undefined ? new Elysia() : mailboxRoutes(mailbox))
      .use(pagesRoutes(loadPages())),
    stop: streams.stop,
  }
}
