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
  const lines: { msg: string; time: number }[] = []
  const log = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) })
  const ofTemporal = () => lines.filter(({ msg }) => msg.startsWith('Temporal: '))
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
  await until('the outage is logged', () => ofTemporal().length > 0)
  await sender.sql`DELETE FROM delivery_queue WHERE delivery_id = ${id}`
  await sender.sql`DELETE FROM deliveries WHERE id = ${id}`
  proxy.restore()
  await until('its end is logged', () => ofTemporal().length > 1, 90)
  const [begin, end, ...others] = ofTemporal()
  expect([end?.msg, others]).toEqual(['Temporal: available again.', []])
  // Else two workers whose starts Temporal refuses would log its end in turns.
  expect((end?.time ?? 0) - (begin?.time ?? 0)).toBeGreaterThanOrEqual(30_000)
  stop.abort()
  await running
  await connection.close()
  proxy.stop()
}, 150_000)
