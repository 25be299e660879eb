import { readConfig } from '../../../src/config'
import type { Sql } from '../../../src/db/connect'
import { createLog } from '../../../src/log'
import { noMeter } from '../../../src/metrics/meter'
import type { SendDeps } from '../../../src/webhooks/dispatch/attempt'
import { createRecorder } from '../../../src/webhooks/dispatch/recorder'
import type { Cipher } from '../../../src/webhooks/signing/encryption'
import { createPost } from '../../../src/webhooks/transport/post'

/** The dependencies of an attempt, without a worker. */
export const sendDeps = (sql: Sql, cipher: Cipher, { inWorkflow = true } = {}): SendDeps => ({
  sql,
  recorder: createRecorder(sql, { inWorkflow }),
  cipher,
  post: createPost(),
  rules: { allowPrivate: true },
  log: createLog(readConfig({ LOG_LEVEL: 'fatal' })),
  meter: noMeter,
  disableAfterDays: 0,
  sendsMail: false,
  publishChange: () => {},
  committed: () => {},
})
