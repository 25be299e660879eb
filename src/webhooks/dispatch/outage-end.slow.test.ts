import { expect, test } from 'bun:test'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import pino from 'pino'
import { testEnvironment } from '../../../test/support/environment'
import { startProxy } from '../../../test/support/network/proxy'
import { until } from '../../../test/support/until'
import { dispatcherDeps } from '../../../test/support/webhooks/dispatcher-deps'
import { useSender } from '../../../test/support/webhooks/sender'
import { runDispatcher } from '../../outbox/dispatcher'
import { isTemporalThere } from '../../temporal/connection'
import { createBusyAccounts } from './busy-accounts'
import { createDeliveryOutbox } from './outbox'

const sender = await useSender('https://hooks.example.com/in')

test('a dispatcher logs the end of an outage of Temporal also where another worker took what was due', async () => {
  const proxy = startProxy(`temporal://${testEnvironment().temporalAddress}`)
  const connection = await NativeConnection.connect({ address: new URL(proxy.url).host })
  const client = new Client({ connection })
  const messages: string[] = []
  const log = pino({ level: 'info' }, { write: line => void messages.push(JSON.parse(line).msg) })
  const { namespace, eagerStarts } = sender.temporal
  const temporal = { connection, client, namespace, eagerStarts }
  const stop = new AbortController()
  const running = runDispatcher(
    createDeliveryOutbox(sender.sql, 'attempts', createBusyAccounts()),
    {
      ...dispatcherDeps(sender),
      client,
      log,
      isTemporalThere: () => isTemporalThere(temporal),
    },
    stop.signal,
  )
  proxy.cut()
  const [id = ''] = await sender.deliveries(1)
  await until('the outage is logged', () => messages.some(one => one.startsWith('Temporal: ')))
  await sender.sql`DELETE FROM delivery_queue WHERE delivery_id = ${id}`
  await sender.sql`DELETE FROM deliveries WHERE id = ${id}`
  proxy.restore()
  await until('its end is logged', () => messages.includes('Temporal: available again.'), 90)
  expect(messages.filter(one => one.startsWith('Temporal: '))).toHaveLength(2)
  stop.abort()
  await running
  await connection.close()
  proxy.stop()
}, 150_000)
