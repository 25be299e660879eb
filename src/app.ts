import { Elysia } from 'elysia'
import { usageRoutes } from './accounts/usage-routes'
import type { Config } from './config'
import { articleRoutes } from './content/article-routes'
import { generationRoutes } from './content/generation-routes'
import { keywordRoutes } from './content/keyword-routes'
import { projectRoutes } from './content/project-routes'
import { rankingRoutes } from './content/ranking-routes'
import type { Sql } from './db/connect'
import { createClientAddress } from './http/address'
import { readJson } from './http/body'
import { createChange } from './http/change'
import { docsPage } from './http/docs-page'
import { answerError } from './http/errors'
import { BASE_PATH, createGate } from './http/gate'
import { createGuessDelay } from './http/guessing'
import { healthRoutes } from './http/health'
import { openApiDocument } from './http/openapi'
import { readQuery } from './http/paging'
import { createAllowedMethods } from './http/paths'
import { createAdmit } from './keys/admit'
import { keyRoutes } from './keys/routes'
import type { Log } from './log'
import type { Meter } from './metrics/meter'
import { webhookDocument } from './webhooks/document'
import type { Cipher } from './webhooks/encryption'
import { webhookRoutes } from './webhooks/routes'

export type AppParts = {
  sql: Sql
  cipher: Cipher
  log: Log
  meter: Meter
  config: Pick<
    Config,
    'trustedProxies' | 'publicUrl' | 'allowPrivateWebhooks' | 'maxKeys' | 'maxWebhooks'
  >
  /** Called after each commit: wakes the dispatchers. */
  committed: () => void
}

/** The HTTP API: what every request passes, then the routes, in order. */
export const createApp = ({ sql, cipher, log, meter, config, committed }: AppParts) => {
  const change = createChange(sql, committed)
  const api = new Elysia({ prefix: BASE_PATH, normalize: false })
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
  const gate = createGate({
    admit: createAdmit(sql),
    allowedMethods: createAllowedMethods(api.routes),
    clientAddress: createClientAddress(config.trustedProxies),
    delayGuess: createGuessDelay(),
    meter,
  })

  // Elysia else looks for the path from the URL's eleventh character on, and a host may be called `api`.
  return new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onError(({ error, set }) => answerError(error, set, log))
    .onRequest(gate)
    .onParse(({ request }) => readJson(request))
    .onTransform(readQuery)
    .use(healthRoutes(sql))
    .use(openApiDocument(config.publicUrl, webhookDocument))
    .use(docsPage)
    .use(api)
}

export type App = ReturnType<typeof createApp>
