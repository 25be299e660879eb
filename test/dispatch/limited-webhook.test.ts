import { expect, test } from 'bun:test'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import { useSender } from '../support/webhooks/sender'

const DELIVERIES = 8
/** Less than a second, after which a sweep would find the next one. */
const BEFORE_SWEEP_MS = 700

// With so few slots a webhook has one attempt at a time.
const receiver = useReceiver()
const sender = await useSender(receiver.url, { ARDEN_IN_FLIGHT: '8' })

test('the end of an attempt makes room for the next one of its webhook at once, not at the next sweep', async () => {
  await sender.work()
  await sender.deliveries(DELIVERIES)
  await until('all arrived', () => receiver.received.length === DELIVERIES)
  const times = receiver.received.map(({ at }) => at)
  const gaps = times.slice(1).map((at, n) => at - (times[n] ?? at))
  // The shortest, because a busy machine can make any of them long. A sweep makes none short.
  expect(Math.min(...gaps)).toBeLessThan(BEFORE_SWEEP_MS)
})
