import { randomBytes } from 'node:crypto'
import { createApp } from '../../../src/app'
import { readConfig } from '../../../src/config'
import type { Sql } from '../../../src/db/connect'
import { createLog } from '../../../src/log'
import { noMeter } from '../../../src/metrics/meter'
import { createCipher } from '../../../src/webhooks/signing/encryption'

/** All routes of the server with their schemas, those of the dashboard included. */
export const listRoutes = (sql: Sql) => {
  const config = readConfig({ LOG_LEVEL: 'fatal' })
  const { app } = createApp({
    sql,
    readSql: sql,
    admissionSql: sql,
    cipher: createCipher(randomBytes(32)),
    log: createLog(config),
    meter: noMeter,
    config,
    wakeDispatchers: () => {},
    publishChange: () => {},
    checkSystem: async () => [],
  })
  return app.routes
}
