import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { msToTs } from '@temporalio/common/lib/time'
import { testEnvironment } from '../../test/support/environment'
import { startProxy } from '../../test/support/network/proxy'
import { settled } from '../../test/support/settled'
import { stopAfterTests } from '../../test/support/stop-after-tests'
import { readConfig } from '../config'
import { createLog } from '../log'
import { connectTemporal } from './connection'
import { createSearchAttributeRegistration, ensureSearchAttributes } from './search-attributes'

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

const silent = createLog({ logLevel: 'fatal', logFormat: 'json' })
const connect = (address: string, namespace: string) =>
  connectTemporal(readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace }), silent)

test('a server that hangs refuses nothing: workflows keep their search attributes', async () => {
  const { temporalAddress } = testEnvironment()
  const proxy = stopAfterTests(startProxy(`http://${temporalAddress}`))
  const temporal = await connect(new URL(proxy.url).host, 'default')
  const registration = createSearchAttributeRegistration(temporal, silent)
  await registration.ensure()
  proxy.hang()
  expect(await settled(registration.ensure())).toThrow()
  expect(registration.isUsable()).toBe(true)
})

test('what was refused is registered later, without a restart', async () => {
  const namespace = `late-${randomBytes(6).toString('hex')}`
  const temporal = await connect(testEnvironment().temporalAddress, namespace)
  const registration = createSearchAttributeRegistration(temporal, silent)
  await registration.ensure()
  expect(registration.isUsable()).toBe(false)
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  })
  await registration.ensure()
  expect(registration.isUsable()).toBe(true)
  await temporal.connection.close()
})
