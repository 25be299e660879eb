import { afterEach, describe, expect, test } from 'bun:test'
import { complete, failureOf } from '../../../../test/support/content/completions'
import { refusal, startLlm, streamed } from '../../../../test/support/content/llm'
import { createOpenAiProvider } from './openai'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
const llm = (...args: Parameters<typeof startLlm>) => {
  const server = startLlm(...args)
  stops.push(server.stop)
  const provider = createOpenAiProvider(
    { name: 'llm', baseUrl: server.url, apiKey: 'sk-test', model: 'test-model', maxTokens: 700 },
    { responseMs: 5_000, silenceMs: 5_000 },
  )
  return { ...server, provider }
}
const data = (text: string) =>
  new Response(`data: ${text}\n\n`, { headers: { 'content-type': 'text/event-stream' } })

test('requests a stream with API key, model, token limit, usage, system prompt and prompt', async () => {
  const { provider, requests } = llm(() => streamed(['# T\n', 'Body']))
  expect((await complete(provider)).pieces).toEqual(['# T\n', 'Body'])
  expect(requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-test' },
    body: {
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 700,
      messages: [
        { role: 'system', content: 'You are brief.' },
        { role: 'user', content: 'Write about cold brew.' },
      ],
    },
  })
})

test('requests another model and fewer tokens, but never more than the settings permit', async () => {
  const { provider, requests } = llm(() => streamed(['T']))
  await complete(provider, { model: 'other', maxTokens: 50 })
  await complete(provider, { maxTokens: 5_000 })
  expect(requests.map(({ body }) => [body.model, body.max_tokens])).toEqual([
    ['other', 50],
    ['test-model', 700],
  ])
})

test('returns the tokens and the model that the server reports', async () => {
  const usage = { prompt_tokens: 12, completion_tokens: 34 }
  const { provider } = llm(() => streamed(['T'], 'stop', usage))
  expect(await complete(provider)).toMatchObject({
    model: 'test-model-2026',
    inputTokens: 12,
    outputTokens: 34,
  })
})

test('returns no tokens where the server reports none, and accepts a last chunk without choices', async () => {
  const { provider } = llm(() =>
    data(
      '{"choices":[{"delta":{"content":"T"},"finish_reason":"stop"}]}\n\ndata: {"choices":null}\n\ndata: [DONE]',
    ),
  )
  expect(await complete(provider)).toMatchObject({
    text: 'T',
    model: 'test-model',
    inputTokens: null,
    outputTokens: null,
  })
})

test('leaves out what a model rejects, and does not send it again', async () => {
  const { provider, requests } = llm(({ body }) => {
    if ('max_tokens' in body) return refusal(400, 'unsupported_parameter', {}, 'max_tokens')
    if ('stream_options' in body) return refusal(422, 'extra_forbidden: stream_options')
    return streamed(['T'])
  })
  await Promise.all([complete(provider), complete(provider)])
  const before = requests.length
  await complete(provider)
  expect(requests.slice(before).map(({ body }) => body.max_completion_tokens)).toEqual([700])
})

describe('an error of the provider', () => {
  test.each([
    [400, 'invalid_request', 'provider_rejected', 'bad_request'],
    [401, 'invalid_api_key', 'provider_rejected', 'wrong_key'],
    [402, 'insufficient_credits', 'provider_rejected', 'no_credit'],
    [404, 'model_not_found', 'provider_rejected', 'unknown_model'],
    [429, 'insufficient_quota', 'provider_rejected', 'no_credit'],
    [400, 'content_filter', 'provider_refused', 'refused'],
    [429, 'rate_limit_exceeded', 'provider_rate_limited', 'rate_limited'],
    [500, 'server_error', 'provider_unavailable', 'server_error'],
    [503, 'overloaded', 'provider_unavailable', 'overloaded'],
  ] as const)('%i %s is %s (%s), and is not retried here', async (status, code, expected, kind) => {
    const { provider, requests } = llm(() => refusal(status, code))
    const error = await failureOf(complete(provider))
    expect([error.code, error.options.kind]).toEqual([expected, kind])
    expect(requests.length).toBe(1)
  })

  test('keeps the response of the provider for the log, without the key', async () => {
    const { provider } = llm(() => refusal(401, 'invalid_api_key'))
    const { message, options } = await failureOf(complete(provider))
    expect(options.providerText).toBe('401 [key]: invalid_api_key')
    expect(message).not.toContain('invalid_api_key')
  })

  test.each([
    [{ 'retry-after': '7' }, 7_000, 7_000],
    [{ 'retry-after-ms': '40' }, 40, 40],
    [{ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }, 55_000, 60_000],
  ])('has the delay of its Retry-After: %p', async (headers, min, max) => {
    const { provider } = llm(() => refusal(503, 'overloaded', headers))
    const { retryAfterMs } = (await failureOf(complete(provider))).options
    expect(retryAfterMs).toBeGreaterThanOrEqual(min)
    expect(retryAfterMs).toBeLessThanOrEqual(max)
  })

  test('in the stream is provider_unavailable', async () => {
    const { provider } = llm(() => data('{"error":{"message":"overloaded","code":"server_error"}}'))
    expect((await failureOf(complete(provider))).code).toBe('provider_unavailable')
  })
})

test.each([
  ['cut off at the token limit', () => streamed(['T'], 'length'), 'too_long'],
  ['without text', () => streamed([]), 'empty'],
  ['whose stream ends without a finish reason', () => streamed(['T'], null), 'cut_off'],
  ['that is not a stream', () => new Response('<html>a proxy</html>'), 'cut_off'],
  ['with invalid JSON in the stream', () => data('{"choices": ['), 'cut_off'],
  ['that the content filter ends', () => streamed(['T'], 'content_filter'), 'refused'],
  ['that refuses', () => data('{"choices":[{"delta":{"refusal":"I cannot"}}]}'), 'refused'],
] as const)('a response %s is %s', async (_, respond, kind) => {
  expect((await failureOf(complete(llm(respond).provider))).options.kind).toBe(kind)
})
