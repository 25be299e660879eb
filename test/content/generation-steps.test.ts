import { afterEach, describe, expect, test } from 'bun:test'
import { ARTICLE, good, partOf, REQUESTS, useGenerating } from '../support/content/generations'
import { refusal, streamed } from '../support/content/llm'
import { until } from '../support/until'

const { live, llm, respond, pauseResponse, newKeyword, get, reaches, generate, ends } =
  await useGenerating({ ARDEN_LLM_MODEL: 'test-model=2/10,other-model' })

afterEach(() => respond(good))

type Step = { step: string; heading: string | null; status: string; text: string | null }

const sectionsOf = (generation: { steps: Step[] }) =>
  generation.steps.filter(({ step }) => step === 'section')

const textOf = (request: { body: { messages: { content: string }[] } } | undefined) =>
  request?.body.messages.map(({ content }) => content).join('\n') ?? ''

describe('the steps of a generation', () => {
  test('are in its record, with their states, models and prompts; their texts are in the article alone', async () => {
    const { paused, go } = pauseResponse('metadata')
    const { id } = await generate()
    await paused
    const running = await until('the last text shows', async () => {
      const generation = await get(id)
      return generation.steps.some(({ text }: Step) => text === 'Grind.\n') && generation
    })
    const written = { status: 'COMPLETED', model: 'test-model' }
    const section = { step: 'section', ...written, prompt_version: 'section@1' }
    expect(running.steps).toMatchObject([
      { step: 'outline', ...written, prompt_version: 'outline@1', text: 'Grind\nWait' },
      { ...section, heading: null, prompt_version: 'introduction@1', text: ARTICLE.introduction },
      { ...section, heading: 'Grind', text: ARTICLE.section },
      { ...section, heading: 'Wait', text: ARTICLE.section },
      { step: 'assembly', status: 'COMPLETED', model: null, prompt_version: null },
      { step: 'metadata', status: 'RUNNING' },
      { step: 'checks', status: 'PENDING', started_at: null },
    ])
    expect(running.outline).toEqual(ARTICLE.headings)
    go()
    const { steps, article_id } = await reaches(id, 'COMPLETED')
    for (const step of steps)
      expect(step).toMatchObject({
        status: 'COMPLETED',
        text: null,
        started_at: expect.any(String),
        finished_at: expect.any(String),
      })
    const { data } = (await live.get(`/articles/${article_id}`)).body
    expect(data.meta_title).toBe(data.title)
    const [listed] = (await live.get('/generations?limit=1')).body.data
    expect([listed.id, 'steps' in listed]).toEqual([id, false])
  })

  test('say what they cost, by the tokens of the response and the price in the settings', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 200 }
    respond(() => streamed(['One'], 'stop', usage))
    const before = (await live.get('/usage')).body.data
    const { id } = await generate()
    const { steps, ...generation } = await reaches(id, 'COMPLETED')
    const counted = { input_tokens: 1_000, output_tokens: 200, cost_usd: 0.004 }
    for (const step of steps)
      expect(step).toMatchObject(
        ['assembly', 'checks'].includes(step.step)
          ? { model: null, input_tokens: null, output_tokens: null, cost_usd: null }
          : { model: 'test-model-2026', ...counted },
      )
    expect(generation).toMatchObject({ input_tokens: 4_000, output_tokens: 800, cost_usd: 0.016 })
    expect((await live.get('/usage')).body.data).toMatchObject({
      input_tokens: before.input_tokens + 4_000,
      output_tokens: before.output_tokens + 800,
    })
  })

  test('are written some at a time, and put together in their order', async () => {
    const headings = ['One', 'Two', 'Three', 'Four', 'Five']
    const release = Promise.withResolvers<void>()
    const held: string[] = []
    respond((request, count) => {
      if (partOf(request) !== 'section' && partOf(request) !== 'introduction')
        return good(request, count)
      const heading = /The heading of the section: (.*)/.exec(textOf(request))?.[1] ?? 'none'
      held.push(heading)
      return streamed([{ hold: release.promise }, `About ${heading}.`])
    })
    const { id: keyword_id } = await newKeyword()
    const { id } = (await live.post('/generations', { keyword_id, outline: headings })).body.data
    await until('three are requested', () => held.length === 3)
    expect(held.toSorted()).toEqual(['One', 'Two', 'none'])
    release.resolve()
    const { article_id, steps } = await reaches(id, 'COMPLETED')
    expect(held).toHaveLength(6)
    // The headings of a brief are not requested.
    expect(steps[0]).toMatchObject({ step: 'outline', status: 'COMPLETED', model: null })
    const { body } = (await live.get(`/articles/${article_id}`)).body.data
    expect(body).toBe(
      ['About none.', ...headings.map(one => `## ${one}\n\nAbout ${one}.`)].join('\n\n'),
    )
  })

  test('that failed are repeated, and none of the others', async () => {
    const requests = llm.requests.length
    let failures = 2
    respond((request, count) =>
      textOf(request).includes('The heading of the section: Wait') && failures-- > 0
        ? refusal(503, 'overloaded', { 'retry-after-ms': '10' })
        : good(request, count),
    )
    const { id } = await generate()
    await reaches(id, 'COMPLETED')
    expect(llm.requests.length).toBe(requests + REQUESTS + 2)
  })

  test('that fail four times make the generation FAILED, whose other steps keep their texts', async () => {
    respond((request, count) =>
      textOf(request).includes('The heading of the section: Wait')
        ? refusal(503, 'overloaded', { 'retry-after-ms': '10' })
        : good(request, count),
    )
    const { id } = await generate()
    const failed = await reaches(id, 'FAILED')
    expect(failed.error.code).toBe('provider_unavailable')
    expect(sectionsOf(failed)).toMatchObject([
      { status: 'COMPLETED', text: ARTICLE.introduction },
      { status: 'COMPLETED', text: ARTICLE.section },
      { status: 'FAILED', text: null },
    ])
    await ends(id, 'FAILED')
  })
})

test('a required check that the text fails makes it FAILED, and creates no article; others do not', async () => {
  const { id: keyword_id, project_id } = await newKeyword()
  respond((request, count) =>
    partOf(request) === 'introduction' ? streamed(['Lorem ipsum.']) : good(request, count),
  )
  const body = { keyword_id, required_checks: ['placeholder'] }
  const { id } = (await live.post('/generations', body)).body.data
  const { error, steps } = await reaches(id, 'FAILED')
  expect(error).toMatchObject({ code: 'check_failed' })
  expect(error.message).toContain('Lorem ipsum')
  expect(error.message).toStartWith('The text does not pass a required check, and was not used.')
  expect(steps.at(-1)).toMatchObject({ step: 'checks', status: 'FAILED' })
  expect((await live.get(`/articles?project_id=${project_id}`)).body.data).toEqual([])
  const other = { keyword_id, required_checks: ['headings'] }
  await reaches((await live.post('/generations', other)).body.data.id, 'COMPLETED')
})

describe('the brief', () => {
  test('reaches the prompts: of the request, or else of the project, with its style guide', async () => {
    const { id: keyword_id, project_id } = await newKeyword()
    const project = await live.patch(`/projects/${project_id}`, {
      style_guide: 'No superlatives.',
      brief: {
        audience: 'home baristas',
        tone: 'dry',
        length: 700,
        instructions: 'Mention water.',
      },
    })
    expect(project.body.data).toMatchObject({
      style_guide: 'No superlatives.',
      brief: { audience: 'home baristas', tone: 'dry', length: 700, model: null },
    })
    const response = await live.post('/generations', {
      keyword_id,
      tone: 'warm',
      instructions: null,
      model: 'other-model',
      outline: ['  What you\n need '],
    })
    expect(response.body.data).toMatchObject({
      audience: 'home baristas',
      tone: 'warm',
      length: 700,
      instructions: null,
      model: 'other-model',
      outline: ['What you need'],
    })
    const { id } = response.body.data
    const before = llm.requests.length
    await reaches(id, 'COMPLETED')
    for (const request of llm.requests.slice(before)) {
      const text = textOf(request)
      expect(request.body.model).toBe('other-model')
      for (const part of ['home baristas', 'warm', 'No superlatives.', '- What you need'])
        expect(text).toContain(part)
      for (const part of ['dry', 'Mention water.', '{{']) expect(text).not.toContain(part)
      if (partOf(request) !== 'metadata') expect(text).toContain('Words, about: 350')
    }
  })

  test.each([
    ['length', 99],
    ['length', 1.5],
    ['outline', []],
    ['outline', [' ']],
    ['outline', Array.from({ length: 31 }, (_, n) => `h${n}`)],
    ['audience', ''],
    ['tone', 'x'.repeat(501)],
    ['model', 'x'.repeat(201)],
  ])('with %s %j is a 422', async (member, value) => {
    const { id: keyword_id } = await newKeyword()
    const response = await live.post('/generations', { keyword_id, [member]: value })
    expect(response.status).toBe(422)
    expect(response.body.details[0].path).toStartWith(member)
  })
})
