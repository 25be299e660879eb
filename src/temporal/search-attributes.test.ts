import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { msToTs } from '@temporalio/common/lib/time'
import { testEnvironment } from '../../test/support/environment'
import { readConfig } from '../config'
import { createLog } from '../log'
import { connectTemporal } from './connection'
import { ensureSearchAttributes } from './search-attributes'

test('registers search attributes in a namespace that servers do not know yet', async () => {
  const namespace = `made-late-${randomBytes(6).toString('hex')}`
  const config = readConfig({
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
  })
  const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
  const temporal = await connectTemporal(config, log)
  const registered = ensureSearchAttributes(temporal, log)
  await sleep(500)
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  })
  expect(await registered).toBe(true)
  await temporal.connection.close()
})
