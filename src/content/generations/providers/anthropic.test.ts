import { afterEach, describe, expect, test } from 'bun:test'
import {
  anthropicError,
  errorEvent,
  startAnthropic,
  streamedMessage,
} from '../../../../test/support/content/anthropic'
import { complete, failureOf } from '../../../../test/support/content/completions'
import { createAnthropicProvider } from './anthropic'

const KEY = 'sk-ant-test'
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
const anthropic = (respond: Parameters<typeof startAnthropic>[0], apiKey = KEY, path = '') => {
  const server = startAnthropic(respond, KEY)
  stops.push(server.stop)
  const provider = createAnthropicProvider(
    {
      name: 'claude',
      baseUrl: `${server.url}${path}`,
      apiKey,
      model: 'claude-test',
      maxTokens: 700,
    },
    { responseMs: 5_000, silenceMs: 5_000 },
  )
  return { ...server, provider }
}

test('requests a stream with API key, version, model, token limit, system prompt and prompt', async () => {
  const { provider, requests } = anthropic(() => streamedMessage(['# T\n', 'Body']))
  expect((await complete(provider)).pieces).toEqual(['# T\n', 'Body'])
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
    path: '/v1/messages',
    headers: { authorization: `Bearer ${KEY}`, 'anthropic-version': '2026-10-21' },
    body: {
      model: 'claude-test',
      stream: true,
      max_tokens: 700,
      system: 'You are brief.',
      messages: [{ role: 'user', content: 'Write about cold brew.' }],
    },
  })
})

test.each(['/', '/v1', '/v1/'])('accepts a base URL that ends with %s', async path => {
  const { provider } = anthropic(() => streamedMessage(['T']), KEY, path)
  expect((await complete(provider)).text).toBe('T')
})

test('takes nothing from the environment of the library', async () => {
  process.env.ANTHROPIC_AUTH_TOKEN = 'another'
  process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:1'
  try {
    const { provider, requests } = anthropic(() => streamedMessage(['T']))
    await complete(provider)
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  } finally {
    delete process.env.ANTHROPIC_AUTH_TOKEN
    delete process.env.ANTHROPIC_BASE_URL
  }
})

test('returns the model, all input tokens, cached ones too, and the output tokens', async () => {
  const { provider } = anthropic(() => streamedMessage(['T']))
  expect(await complete(provider)).toMatchObject({
    text: 'T',
    model: 'claude-test-20260101',
    inputTokens: 12,
    outputTokens: 30,
  })
})

describe('an error of the provider', () => {
  test.each([
    [400, 'invalid_request_error', 'provider_rejected', 'bad_request'],
    [402, 'billing_error', 'provider_rejected', 'no_credit'],
    [403, 'permission_error', 'provider_rejected', 'wrong_key'],
    [404, 'not_found_error', 'provider_rejected', 'unknown_model'],
    [413, 'request_too_large', 'provider_rejected', 'bad_request'],
    [429, 'rate_limit_error', 'provider_rate_limited', 'rate_limited'],
    [500, 'api_error', 'provider_unavailable', 'server_error'],
    [504, 'timeout_error', 'provider_unavailable', 'server_error'],
    [529, 'overloaded_error', 'provider_unavailable', 'overloaded'],
  ] as const)('%i %s is %s (%s), and is not retried here', async (status, type, code, kind) => {
    const { provider, requests } = anthropic(() => anthropicError(status, type))
    const error = await failureOf(complete(provider))
    expect([error.code, error.options.kind]).toEqual([code, kind])
    expect(requests).toHaveLength(1)
  })

  test('a wrong key is provider_rejected, and the log has the response without the key', async () => {
    const { provider } = anthropic(() => streamedMessage(['T']), 'sk-ant-wrong-0123456789')
    const { code, options } = await failureOf(complete(provider))
    expect([code, options.kind, options.final]).toEqual(['provider_rejected', 'wrong_key', true])
    expect(options.providerText).toContain('invalid x-api-key: [key]')
  })

  test('a 429 at the limit of spending is no rate limit: a retry does not change it', async () => {
    const details = { error_code: 'enforced_spend_limit_reached' }
    const { provider } = anthropic(() =>
      anthropicError(429, 'rate_limit_error', 'monthly limit', {}, details),
    )
    expect((await failureOf(complete(provider))).options.kind).toBe('no_credit')
  })

  test('an overloaded provider has the delay of its Retry-After', async () => {
    const { provider } = anthropic(() =>
      anthropicError(529, 'overloaded_error', 'Overloaded', { 'retry-after': '7' }),
    )
    expect((await failureOf(complete(provider))).options.retryAfterMs).toBe(7_000)
  })

  test.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'server_error'],
  ] as const)('in the stream, %s is %s', async (type, kind) => {
    const { provider } = anthropic(() => streamedMessage(['T'], { raw: errorEvent(type) }))
    const { code, options } = await failureOf(complete(provider))
    expect([code, options.kind]).toEqual(['provider_unavailable', kind])
  })
})

test.each([
  ['refusal', 'refused'],
  ['max_tokens', 'too_long'],
  ['model_context_window_exceeded', 'too_long'],
] as const)('a response that stops with %s is %s', async (stopReason, kind) => {
  const { provider } = anthropic(() => streamedMessage(['T'], { stopReason }))
  expect((await failureOf(complete(provider))).options.kind).toBe(kind)
})

test.each([
  ['without text', () => streamedMessage([]), 'empty'],
  ['whose stream ends early', () => streamedMessage(['T'], { raw: '' }), 'cut_off'],
  ['that is not a stream', () => new Response('<html>a proxy</html>'), 'cut_off'],
  [
    'with invalid JSON in the stream',
    () => streamedMessage(['T'], { raw: 'event: message_delta\ndata: {"type":\n\n' }),
    'cut_off',
  ],
] as const)('a response %s is %s', async (_, respond, kind) => {
  expect((await failureOf(complete(anthropic(respond).provider))).options.kind).toBe(kind)
})
