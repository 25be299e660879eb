import { beforeEach, expect, test } from 'bun:test'
import { anthropicError, streamedMessage, useAnthropic } from '../support/content/anthropic'
import {
  ARTICLE,
  ARTICLE_BODY,
  partOf,
  REQUESTS,
  useGenerating,
} from '../support/content/generations'
import { type LlmRequest, streamed, useLlm } from '../support/content/llm'
import { until } from '../support/until'

/** Generations with several language models: Claude, and another one that is called when it fails. */

const textFor = (request: LlmRequest): string =>
  ({
    outline: ARTICLE.headings.join('\n'),
    introduction: ARTICLE.introduction,
    section: ARTICLE.section,
    metadata: `Title: ${ARTICLE.title}\nSlug: cold-brew\nMeta description: How to brew it.`,
  })[partOf(request)]

const claudeWrites = ({ body, ...request }: LlmRequest) =>
  streamedMessage([textFor({ ...request, body: { messages: [{ content: body.system }] } })])
let claudeResponds = claudeWrites
beforeEach(() => {
  claudeResponds = claudeWrites
})
const claude = useAnthropic(request => claudeResponds(request))
const backup = useLlm(request =>
  streamed([textFor(request)], 'stop', { prompt_tokens: 1_000, completion_tokens: 500 }),
)
const { arden, live, newKeyword, reaches, articlesOf } = await useGenerating({
  ARDEN_LLM_BASE_URL: '',
  ARDEN_LLM_API_KEY: '',
  ARDEN_LLM_MODEL: '',
  ARDEN_LLM_PROVIDERS: 'claude,backup',
  ARDEN_LLM_CLAUDE_API: 'anthropic',
  ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
  ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
  ARDEN_LLM_CLAUDE_MODEL: 'sonnet=2/10,opus',
  ARDEN_LLM_BACKUP_BASE_URL: backup.url,
  ARDEN_LLM_BACKUP_API_KEY: 'sk-test',
  ARDEN_LLM_BACKUP_MODEL: 'mini=0.25/2',
})
const create = async (members: object = {}) =>
  live.post('/generations', { keyword_id: (await newKeyword()).id, ...members })

test('Claude writes an article, and the record has its model, tokens and cost', async () => {
  const { body } = await create()
  const done = await reaches(body.data.id, 'COMPLETED')
  const [article] = await articlesOf(done)
  expect(article).toMatchObject({ title: ARTICLE.title, body: ARTICLE_BODY })
  const section = done.steps.find(({ step }: { step: string }) => step === 'section')
  expect(section).toMatchObject({
    model: 'claude-test-20260101',
    input_tokens: 12,
    output_tokens: 30,
    cost_usd: (12 * 2 + 30 * 10) / 1_000_000,
  })
  expect(claude.requests.map(({ body }) => body.model)).toEqual(Array(REQUESTS).fill('sonnet'))
  expect(backup.requests).toEqual([])
})

test('a requested model writes each step', async () => {
  const before = claude.requests.length
  await reaches((await create({ model: 'opus' })).body.data.id, 'COMPLETED')
  const models = claude.requests.slice(before).map(({ body }) => body.model)
  expect(models).toEqual(Array(REQUESTS).fill('opus'))
})

test('a model that no worker has is refused, and nothing is queued', async () => {
  await until('a worker reports', async () => {
    const [row] = await arden.sql`SELECT FROM workers WHERE language_models IS NOT NULL`
    return row !== undefined
  })
  const { status, body } = await create({ model: 'gpt-9' })
  expect(status).toBe(422)
  expect(body.details).toEqual([
    {
      path: 'model',
      message:
        'is "gpt-9", which is not configured. Leave it out, or use one of: sonnet, opus, mini.',
    },
  ])
  const keyword = await newKeyword()
  await live.patch(`/projects/${keyword.project_id}`, { brief: { model: 'gpt-9' } })
  const ofProject = await live.post('/generations', { keyword_id: keyword.id })
  expect(ofProject.body.details[0].message).toBe(
    'is "gpt-9", the default of the project, which is not configured. Change the project, or use one of: sonnet, opus, mini.',
  )
})

test('while Claude is overloaded, the other model writes the article, and nothing has failed', async () => {
  claudeResponds = () => anthropicError(529, 'overloaded_error', 'Overloaded')
  const { body } = await create()
  const done = await reaches(body.data.id, 'COMPLETED')
  const section = done.steps.find(({ step }: { step: string }) => step === 'section')
  expect(section).toMatchObject({
    model: 'test-model-2026',
    cost_usd: (1_000 * 0.25 + 500 * 2) / 1_000_000,
  })
  const failed = await arden.sql`
    SELECT FROM generation_steps WHERE generation_id = ${body.data.id} AND failures > 0`
  expect(failed).toHaveLength(0)
})
