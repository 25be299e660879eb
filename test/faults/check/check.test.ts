import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { checkHistory } from './check'
import type { Arrival, CheckedDelivery, History, WrongResponse } from './history'

const SECRET = 'a'.repeat(64)
const RESPONSES = '2.5'

/** A request at `at` s with the response `status` a tenth of a second later. */
const request = (delivery: string, event: string, at: number, status: number): Arrival => {
  const body = JSON.stringify({ id: event, event: 'article.created', created_at: '', data: {} })
  const hmac = createHmac('sha256', SECRET).update(body).digest('hex')
  return {
    path: '/',
    headers: { 'x-webhook-delivery-id': delivery, 'x-webhook-signature': `sha256=${hmac}` },
    body,
    deliveryId: delivery,
    attemptAt: `${at}`,
    status,
    at: at * 1000,
    endedAt: at * 1000 + 100,
  }
}

const delivery = (n: number, requests: Arrival[]): CheckedDelivery => {
  const isDelivered = requests.some(one => one.status === 200)
  return {
    id: `dlv_${n}`,
    webhook_id: 'wh_1',
    event_id: `evt_${n}`,
    status: isDelivered ? 'DELIVERED' : 'FAILED',
    attempt_count: requests.length,
    next_attempt_at: null,
    delivered_at: isDelivered ? 'then' : null,
    error: isDelivered ? null : 'HTTP 500',
    sequence: n,
    attempts: requests.map(({ attemptAt, status = null }, index) => ({
      number: index + 1,
      started_at: attemptAt,
      http_status: status,
    })),
  }
}

/** One delivered at once, one after a failure, one failed, in the order of an ordered webhook. */
const kept = () => {
  const requests: [Arrival[], Arrival[], Arrival[]] = [
    [request('dlv_1', 'evt_1', 1, 200)],
    [request('dlv_2', 'evt_2', 2, 500), request('dlv_2', 'evt_2', 7.2, 200)],
    [0, 5.2, 30.4].map(after => request('dlv_3', 'evt_3', 10 + after, 500)),
  ]
  const deliveries: [CheckedDelivery, CheckedDelivery, CheckedDelivery] = [
    delivery(1, requests[0]),
    delivery(2, requests[1]),
    delivery(3, requests[2]),
  ]
  const changes = deliveries.map((_, index) => ({
    article: `art_${index}`,
    type,
    change: { from: index, to: index + 0.5 },
  }))
  return {
    expected: changes,
    responses: 3,
    wrongResponses: [] as WrongResponse[],
    webhooks: [{ id: 'wh_1', name: 'it', events: [type], ordered: true, secret: SECRET }],
    arrivals: requests.flat(),
    disturbances: [],
    failover: undefined,
    events: changes.map((change, index) => ({ id: `evt_${index + 1}`, ...change })),
    deliveries,
    observed: [],
    streamed: deliveries.map(one => ({ event: one.event_id })),
  } satisfies History
}
const type = 'article.created' as const

/** The headings of the broken promises. */
const broken = async (history: History) =>
  (await checkHistory(history)).filter(one => one.broken.length > 0).map(one => one.contract)

test('a history that keeps every promise has no broken one, and a case of each', async () => {
  const verdicts = await checkHistory(kept())
  expect(verdicts.flatMap(one => one.broken)).toEqual([])
  for (const { promise, cases } of verdicts) expect(cases, promise).toBeGreaterThan(0)
})

type Kept = ReturnType<typeof kept>
const [EVENTS, SUBSCRIBED, STATES, ATTEMPTS, SCHEDULE, NUMBERING, ORDER, STREAM, SIGNED] = [
  '5.8',
  '4.6',
  '5.2',
  '5.4',
  '5.3',
  '5.1, 5.12',
  '5.12',
  '5.16',
  '4.8, 4.9',
]

const violations: [string, string[], (history: Kept) => Partial<History>][] = [
  [
    'a response that is an error',
    [RESPONSES],
    () => ({ wrongResponses: [{ request: 'POST /articles', status: 500, text: '' }] }),
  ],
  [
    'no event',
    [EVENTS],
    ({ expected }) => ({ expected: [...expected, { article: 'art_9', type }] }),
  ],
  [
    'an event twice',
    [EVENTS, SUBSCRIBED, STREAM],
    ({ events }) => ({ events: [...events, { id: 'evt_9', type, article: 'art_0' }] }),
  ],
  [
    'no delivery',
    [SUBSCRIBED],
    ({ deliveries, arrivals }) => ({
      deliveries: deliveries.slice(0, 2),
      arrivals: arrivals.slice(0, 3),
    }),
  ],
  [
    'a delivery that is not final',
    [EVENTS],
    ({ deliveries: [one, other, last] }) => ({
      deliveries: [one, other, { ...last, status: 'RETRYING' }],
    }),
  ],
  [
    'a delivery that never arrived',
    [EVENTS, ATTEMPTS, ORDER],
    ({ arrivals }) => ({ arrivals: arrivals.slice(1) }),
  ],
  [
    'a delivery that failed after two attempts',
    [EVENTS],
    ({ deliveries: [one, other, last], arrivals }) => ({
      deliveries: [one, other, { ...last, attempt_count: 2, attempts: last.attempts.slice(0, 2) }],
      arrivals: arrivals.slice(0, -1),
    }),
  ],
  [
    'a DELIVERED delivery with an error',
    [STATES],
    ({ deliveries: [one, ...others] }) => ({ deliveries: [{ ...one, error: 'no' }, ...others] }),
  ],
  [
    'a final state that is taken back',
    [STATES],
    () => ({
      observed: [
        { id: 'dlv_1', status: 'DELIVERED' },
        { id: 'dlv_1', status: 'RETRYING' },
      ],
    }),
  ],
  [
    'a recorded attempt that was sent twice',
    [ATTEMPTS],
    ({ arrivals }) => ({ arrivals: [...arrivals, ...arrivals.slice(0, 1)] }),
  ],
  [
    'a request without a record, undisturbed',
    [ATTEMPTS],
    ({ arrivals }) => ({ arrivals: [...arrivals, request('dlv_1', 'evt_1', 60, 200)] }),
  ],
  [
    'a request of a delivery that does not exist',
    [ATTEMPTS],
    ({ arrivals }) => ({ arrivals: [...arrivals, request('dlv_9', 'evt_9', 60, 200)] }),
  ],
  ['a retry that is early', [SCHEDULE], history => retryAt(history, 6.9)],
  ['a retry that is late', [SCHEDULE, ORDER], history => retryAt(history, 30)],
  [
    'an attempt number that is missing',
    [NUMBERING],
    ({ deliveries: [one, other, last] }) => ({
      deliveries: [
        one,
        {
          ...other,
          attempts: other.attempts.map(attempt => ({ ...attempt, number: attempt.number * 2 })),
        },
        last,
      ],
    }),
  ],
  [
    'a sequence with a gap',
    [NUMBERING],
    ({ deliveries: [one, other, last] }) => ({
      deliveries: [one, other, { ...last, sequence: 4 }],
    }),
  ],
  [
    'a delivery that was sent before the previous one was final',
    [ORDER],
    ({ arrivals }) => ({
      arrivals: arrivals.map(one =>
        one.deliveryId === 'dlv_1' ? { ...one, endedAt: 2_500 } : one,
      ),
    }),
  ],
  [
    'an order that is not that of the changes',
    [ORDER, STREAM],
    ({ expected }) => ({
      expected: expected.map((one, index) => ({
        ...one,
        change: { from: -index, to: 0.5 - index },
      })),
    }),
  ],
  ['a stream in another order', [STREAM], ({ streamed }) => ({ streamed: streamed.toReversed() })],
  [
    'an event that is not in the stream',
    [STREAM],
    ({ streamed }) => ({ streamed: streamed.slice(1) }),
  ],
  [
    'an event that is in the stream twice',
    [STREAM],
    ({ streamed }) => ({ streamed: [...streamed.slice(0, 1), ...streamed] }),
  ],
  [
    'a gap for no reason',
    [STREAM],
    ({ streamed }) => ({ streamed: [...streamed, { gap: 'events may be missing' }] }),
  ],
  [
    'a body that is not what was signed',
    [SIGNED],
    ({ arrivals: [one, ...others] }) => ({
      arrivals: [...(one ? [{ ...one, body: `${one.body} ` }] : []), ...others],
    }),
  ],
]

/** The second attempt of the second delivery, in s. */
const retryAt = ({ arrivals }: Kept, at: number): Partial<History> => ({
  arrivals: arrivals.map(one =>
    one.attemptAt === '7.2' ? { ...one, at: at * 1000, endedAt: at * 1000 + 100 } : one,
  ),
})

test.each(violations)('%s breaks %p', async (_, promises, change) => {
  const history = kept()
  expect(await broken({ ...history, ...change(history) })).toEqual(promises)
})

test('a request without a record and a late retry are no violation at a disturbance', async () => {
  const history = kept()
  const repeated = request('dlv_3', 'evt_3', 9.5, 500)
  const disturbance = { name: 'worker', at: 9_700, until: 12_000, repeatsUntil: 9_700 }
  const late = history.arrivals.map(one =>
    one.attemptAt === '40.4' ? { ...one, at: 70_000, endedAt: 70_100 } : one,
  )
  const arrivals = [...late, repeated]
  expect(await broken({ ...history, arrivals, disturbances: [disturbance] })).toEqual([])
  expect(await broken({ ...history, arrivals })).toEqual([ATTEMPTS, SCHEDULE])
})

test('a repeated request behind later ones is no violation of the order', async () => {
  const history = kept()
  // The first record of dlv_1 was lost: what is recorded came when dlv_2 was delivered.
  const [first, ...others] = history.deliveries
  const attempts = [{ number: 1, started_at: '9', http_status: 200 }]
  expect(
    await broken({
      ...history,
      deliveries: [{ ...first, attempts }, ...others],
      arrivals: [...history.arrivals, request('dlv_1', 'evt_1', 9, 200)],
      disturbances: [{ name: 'failover', at: 0, until: 8_000, repeatsUntil: 8_000 }],
    }),
  ).toEqual([])
})

test('a loss of an asynchronous standby is counted, and no violation where the stream reports it', async () => {
  const history = kept()
  const lossy = {
    ...history,
    failover: 'asynchronous' as const,
    expected: [...history.expected, { article: 'art_9', type }],
  }
  expect(await broken(lossy)).toEqual([EVENTS])
  const reported = { ...lossy, streamed: [...history.streamed, { gap: 'a standby' }] }
  expect(await broken(reported)).toEqual([])
  expect((await checkHistory(reported))[1]?.promise).toContain('1 whose commit was lost')
})
