import { describe, expect, test } from 'bun:test'
import pino from 'pino'
import {
  anthropicError,
  streamedMessage,
  useAnthropic,
} from '../../../../test/support/content/anthropic'
import { complete, failureOf } from '../../../../test/support/content/completions'
import { limiterDeps } from '../../../../test/support/content/limiter-deps'
import { refusal, streamed, useLlm } from '../../../../test/support/content/llm'
import { readConfig } from '../../../config'
import { selectProviders } from './selection'

/** Claude, then an OpenAI-compatible backup: what each responds is set by the tests. */
let claudeResponds = () => streamedMessage(['by Claude'])
let backupResponds = () => streamed(['by the backup'], 'stop', USAGE)
const USAGE = { prompt_tokens: 2_000, completion_tokens: 1_000 }
const claude = useAnthropic(() => claudeResponds())
const backup = useLlm(() => backupResponds())

const SETTINGS = {
  ARDEN_LLM_PROVIDERS: 'claude,backup',
  ARDEN_LLM_CLAUDE_API: 'anthropic',
  ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
  ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
  ARDEN_LLM_CLAUDE_MODEL: 'sonnet=3/15,haiku',
  ARDEN_LLM_BACKUP_BASE_URL: backup.url,
  ARDEN_LLM_BACKUP_API_KEY: 'sk-test',
  ARDEN_LLM_BACKUP_MODEL: 'mini=0.5/2,haiku=1/5',
}
const create = (env = {}, log = limiterDeps.log) =>
  selectProviders(readConfig({ ...SETTINGS, ...env }), { ...limiterDeps, log }).live
const calls = async (run: () => Promise<unknown>) => {
  const before = [claude.requests.length, backup.requests.length] as const
  await run()
  return [claude.requests.length - before[0], backup.requests.length - before[1]]
}
const claudeWrites = () => streamedMessage(['by Claude'])
const backupWrites = () => streamed(['by the backup'], 'stop', USAGE)

test('the first provider writes with its default model, at the price of the settings', async () => {
  claudeResponds = claudeWrites
  expect(await complete(create())).toMatchObject({
    text: 'by Claude',
    costUsd: (12 * 3 + 30 * 15) / 1_000_000,
  })
  expect(claude.requests.at(-1)?.body.model).toBe('sonnet')
})

describe('a requested model', () => {
  test('is that of the first provider which has it, without a cost where it has no price', async () => {
    claudeResponds = claudeWrites
    expect(await complete(create(), { model: 'haiku' })).toMatchObject({ costUsd: null })
    expect(claude.requests.at(-1)?.body.model).toBe('haiku')
  })

  test('goes to no provider that does not have it', async () => {
    backupResponds = () => refusal(503, 'overloaded')
    claudeResponds = claudeWrites
    const provider = create()
    expect(
      await calls(async () => {
        const { code } = await failureOf(complete(provider, { model: 'mini' }))
        expect(code).toBe('provider_unavailable')
      }),
    ).toEqual([0, 1])
  })

  test('of no provider is rejected', async () => {
    const { code, message, options } = await failureOf(complete(create(), { model: 'gpt-9' }))
    expect([code, options.final]).toEqual(['provider_rejected', true])
    expect(message).toStartWith('No provider has the model gpt-9.')
  })
})

describe('the next provider writes, with its own default model,', () => {
  test.each([
    ['overloaded', () => anthropicError(529, 'overloaded_error')],
    ['rate limited', () => anthropicError(429, 'rate_limit_error', 'slow', { 'retry-after': '9' })],
    ['without credit', () => anthropicError(402, 'billing_error')],
    ['failing', () => anthropicError(500, 'api_error')],
    ['rejecting the key', () => anthropicError(401, 'authentication_error')],
    ['without the model', () => anthropicError(404, 'not_found_error')],
  ])('when the first is %s, and the first rests', async (_, respond) => {
    claudeResponds = respond
    backupResponds = backupWrites
    const provider = create()
    expect(
      await calls(async () => {
        expect(await complete(provider)).toMatchObject({
          text: 'by the backup',
          costUsd: (2_000 * 0.5 + 1_000 * 2) / 1_000_000,
        })
      }),
    ).toEqual([1, 1])
    claudeResponds = claudeWrites
    expect(await calls(() => complete(provider))).toEqual([0, 1])
  })

  test('when the first cannot be reached', async () => {
    backupResponds = backupWrites
    const provider = create({ ARDEN_LLM_CLAUDE_BASE_URL: 'http://127.0.0.1:1' })
    expect((await complete(provider)).text).toBe('by the backup')
  })
})

describe('the next provider is not called', () => {
  test.each([
    ['refuses', () => streamedMessage(['No'], { stopReason: 'refusal' }), 'refused'],
    ['is cut off', () => streamedMessage(['T'], { raw: '' }), 'cut_off'],
    ['is too long', () => streamedMessage(['T'], { stopReason: 'max_tokens' }), 'too_long'],
  ])('when the response of the first %s', async (_, respond, kind) => {
    claudeResponds = respond
    expect(
      await calls(async () => {
        expect((await failureOf(complete(create()))).options.kind).toBe(kind as never)
      }),
    ).toEqual([1, 0])
  })

  test('when the failure is that of the response: the log names the one that failed', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: line => void lines.push(JSON.parse(line).msg) })
    claudeResponds = () => streamedMessage(['T'], { stopReason: 'max_tokens' })
    await failureOf(complete(create({}, log)))
    expect(lines).toEqual([expect.stringMatching(/^claude \(127\.0\.0\.1:\d+\) failed: /)])
  })

  test('after text has been shown, but for the retry: then the first rests', async () => {
    claudeResponds = () =>
      streamedMessage(['T'], {
        raw: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
      })
    backupResponds = backupWrites
    const provider = create()
    expect(
      await calls(async () => {
        const { options } = await failureOf(complete(provider))
        expect([options.kind, options.final]).toEqual(['overloaded', undefined] as never)
      }),
    ).toEqual([1, 0])
    expect(await calls(() => complete(provider))).toEqual([0, 1])
  })
})

describe('each failure but the one that is thrown is counted, which its step counts, without 429s:', () => {
  const slow = () => anthropicError(429, 'rate_limit_error', 'slow', { 'retry-after': '9' })
  test.each([
    ['of the last one while the first is rate limited', slow, () => refusal(402, 'no credit')],
    ['none of a rate limit', slow, backupWrites],
    ['of the first', () => anthropicError(401, 'authentication_error'), backupWrites],
  ])('%s', async (name, first, second) => {
    claudeResponds = first
    backupResponds = second
    const codes: string[] = []
    const meter = {
      ...limiterDeps.meter,
      recordModelError: (code: string) => void codes.push(code),
    }
    const { live } = selectProviders(readConfig(SETTINGS), { ...limiterDeps, meter })
    await complete(live).catch(() => {})
    expect(codes).toEqual(name.startsWith('none') ? [] : ['provider_rejected'])
  })
})

describe('when all fail', () => {
  test('a rate limit is waited for, whatever the other failure is', async () => {
    claudeResponds = () => anthropicError(429, 'rate_limit_error', 'slow', { 'retry-after': '9' })
    backupResponds = () => refusal(401, 'invalid_api_key')
    const { code, options } = await failureOf(complete(create()))
    expect(code).toBe('provider_rate_limited')
    expect(options.retryAfterMs).toBeGreaterThan(8_000)
  })

  test('a failure that can be retried is, though the key of the other is wrong', async () => {
    claudeResponds = () => anthropicError(401, 'authentication_error')
    backupResponds = () => refusal(503, 'overloaded')
    const { code, options } = await failureOf(complete(create()))
    expect([code, options.final]).toEqual(['provider_unavailable', undefined] as never)
  })

  test('resting providers are called again, in their order', async () => {
    claudeResponds = () => anthropicError(529, 'overloaded_error')
    backupResponds = () => refusal(503, 'overloaded')
    const provider = create()
    await failureOf(complete(provider))
    claudeResponds = claudeWrites
    expect((await complete(provider)).text).toBe('by Claude')
  })
})

test('a provider has no more requests at a time than its setting permits', async () => {
  const release = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const slow = useLlm(async () => {
    most = Math.max(most, ++running)
    await release.promise
    running--
    return streamed(['T'])
  })
  const provider = selectProviders(
    readConfig({ ...slow.env, ARDEN_LLM_IN_FLIGHT: '2' }),
    limiterDeps,
  ).live
  const all = Array.from({ length: 5 }, () => complete(provider))
  while (running < 2) await Bun.sleep(5)
  release.resolve()
  await Promise.all(all)
  expect([most, slow.requests.length]).toEqual([2, 5])
})
