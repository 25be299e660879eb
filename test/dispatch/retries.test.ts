import { expect, test } from 'bun:test'
import { LANES } from '../support/lanes'
import { LATE_MS } from '../support/until'
import { useFailingReceivers } from '../support/webhooks/failing-receivers'

// The schedule of contract 5.3 in real time: 0, 5 and 25 s, and a time-out of 30 s, all concurrent.
const LONGEST_MS = 200_000

const { deliverTo } = useFailingReceivers()

test.concurrent.each(LANES)(
  'with a workflow %s, an endpoint that responds 500, 503, then 200 gets the third attempt, 5 s and 25 s later',
  async lane => {
    const { id, row, requests, attempts, expectSchedule, result } = await deliverTo(
      lane,
      'recovers',
    )
    expect(row).toMatchObject({
      status: 'DELIVERED',
      http_status: 200,
      response_body: 'response 3',
      attempt_count: 3,
      error: null,
      next_attempt_at: null,
    })
    expect(requests.length).toBe(3)
    await expectSchedule()
    expect(
      attempts.map(one => [one.number, one.http_status, one.error, one.response_body]),
    ).toEqual([
      [1, 500, 'the endpoint responded with 500', 'response 1'],
      [2, 503, 'the endpoint responded with 503', 'response 2'],
      [3, 200, null, 'response 3'],
    ])
    expect(new Set(requests.map(one => one.headers['x-webhook-delivery-id']))).toEqual(
      new Set([id]),
    )
    expect(new Set(requests.map(one => one.body)).size).toBe(1)
    expect(new Set(requests.map(one => one.headers['x-webhook-timestamp'])).size).toBe(3)
    expect(await result()).toEqual({ status: 'DELIVERED', httpStatus: 200, attempts: 3 })
  },
  LONGEST_MS,
)

test.concurrent(
  'an endpoint that does not respond in 30 s has failed',
  async () => {
    const { row, attempts } = await deliverTo('on-retry', 'never-responds', 1)
    expect(row).toMatchObject({
      status: 'FAILED',
      http_status: null,
      response_body: null,
      attempt_count: 1,
      error: 'timed out after 30 s',
    })
    for (const attempt of attempts) expect(attempt.duration_ms).toBeWithin(29_900, 30_000 + LATE_MS)
  },
  LONGEST_MS,
)
