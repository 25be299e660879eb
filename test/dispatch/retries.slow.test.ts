import { expect, test } from 'bun:test'
import { LANES } from '../support/lanes'
import { LATE_MS } from '../support/until'
import { useFailingReceivers } from '../support/webhooks/failing-receivers'

// The schedule of contract 5.3 for each way to fail, with and without a workflow for the first attempt, all concurrent.
const LONGEST_MS = 200_000

const { receiver, deliverTo } = useFailingReceivers()

test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that fails three times makes the delivery FAILED, and the workflow too',
  async lane => {
    const { row, requests, expectSchedule, result } = await deliverTo(lane, 'fails')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: 500,
      response_body: 'response 3',
      attempt_count: 3,
      error: 'the endpoint responded with 500',
    })
    expect(requests.length).toBe(3)
    await expectSchedule()
    const { host } = new URL(receiver.url)
    expect(await result()).toBe(
      `Not delivered: ${host} responded with 500 (attempt 3 of 3, the last)`,
    )
  },
  LONGEST_MS,
)

test.concurrent.each(LANES)(
  'with a workflow %s, a redirect is a failure, and is not followed',
  async lane => {
    const { row, requests, result } = await deliverTo(lane, 'redirects')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: 302,
      attempt_count: 3,
      error: 'redirects are not followed (302 to /elsewhere)',
    })
    expect(requests.length).toBe(3)
    expect(receiver.received.some(one => one.path === '/elsewhere')).toBe(false)
    expect(await result()).not.toContain('elsewhere')
  },
  LONGEST_MS,
)

test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that does not respond in 30 s has failed: three times, then FAILED',
  async lane => {
    const { row, attempts, expectSchedule } = await deliverTo(lane, 'never-responds')
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: null,
      response_body: null,
      attempt_count: 3,
      error: 'timed out after 30 s',
    })
    for (const attempt of attempts) expect(attempt.duration_ms).toBeWithin(29_900, 30_000 + LATE_MS)
    await expectSchedule()
  },
  LONGEST_MS,
)
