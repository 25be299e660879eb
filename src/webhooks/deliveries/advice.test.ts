import { expect, test } from 'bun:test'
import { WEBHOOK_DISABLED } from '../events/record'
import { describeConnectionError, describeStatus } from '../transport/error-text'
import { adviseOn } from './advice'
import { STOPPED } from './stopped'

const failed = (code: string) => Object.assign(new Error('expired'), { code })
const notTls = Object.assign(failed('EPROTO'), { reason: 'WRONG_VERSION_NUMBER' })

test.each([
  [describeConnectionError(failed('ECONNREFUSED')), 'firewall'],
  [describeConnectionError(failed('ETIMEDOUT')), 'firewall'],
  [describeConnectionError(failed('ECONNRESET')), 'closed the connection'],
  [describeConnectionError(failed('CERT_HAS_EXPIRED')), 'certificate'],
  [describeConnectionError(failed('DEPTH_ZERO_SELF_SIGNED_CERT')), 'not self-signed'],
  [describeConnectionError(notTls), 'scheme and port'],
  ['the response is not valid HTTP', 'not an HTTP server'],
  ['timed out after 30 s', 'respond with 200 first'],
  ['the name does not resolve', 'DNS'],
  ['cancelled in Temporal', 'not the receiver'],
  [STOPPED, 'not the receiver'],
  [WEBHOOK_DISABLED, 'Enable it'],
  ['the name has an address that is not public', 'public addresses only'],
  ['only https is permitted', 'with TLS'],
  ['the name has more than 64 addresses', 'fewer addresses'],
  [describeStatus(302, 'https://example.com/?timed out'), 'follows no redirects'],
])('%p has its own advice', (error, advice) => {
  expect(adviseOn({ http_status: null, error })).toContain(advice)
})

test.each([
  [401, 'whsec_'],
  [304, 'Its response says why'],
  [404, 'no POST route'],
  [429, 'limits its requests'],
  [422, 'rejected the event'],
  [503, 'X-Webhook-Delivery-Id'],
])('a response with %p has its own advice', (status, advice) => {
  const error = describeStatus(status)
  expect(adviseOn({ http_status: status, error })).toContain(advice)
})

test('an error that is unknown is not explained by the status of an earlier attempt', () => {
  expect(adviseOn({ http_status: 401, error: 'the connection failed (EXYZ)' })).toBe(
    'Check the receiver and its log.',
  )
})
