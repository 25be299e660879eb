import { readConfig } from '../../src/config'
import type { Sql } from '../../src/db/connect'
import { createLog } from '../../src/log'
import { noMeter } from '../../src/metrics/meter'
import type { Cipher } from '../../src/webhooks/encryption'
import { createPost } from '../../src/webhooks/post'
import { createRecorder } from '../../src/webhooks/recorder'
import type { SendDeps } from '../../src/webhooks/send'

/** What an attempt needs, without a worker around it. */
export const sendDeps = (sql: Sql, cipher: Cipher, { inWorkflow = true } = {}): SendDeps => ({
  sql,
  recorder: createRecorder(sql, { inWorkflow }),
  cipher,
  post: createPost(),
  rules: { allowPrivate: true },
  log: createLog(readConfig({ LOG_LEVEL: 'fatal' })),
  meter: noMeter,
  disableAfterDays: 0,
  changed: () => {},
  committed: () => {},
})
