import { expect } from 'bun:test'
import { generationWorkflowId } from '../../../src/content/generations/outbox'
import type { Roles } from '../../../src/start'
import { useArden } from '../arden'
import type { Client } from '../client'
import { useTemporal } from '../temporal'
import { until } from '../until'
import { type LlmRequest, type startLlm, streamed, useLlm } from './llm'

type Responder = Parameters<typeof startLlm>[0]

/** What `good` writes: a title, an introduction, and the text below each of two headings. */
export const ARTICLE = {
  title: 'Cold brew',
  headings: ['Grind', 'Wait'],
  introduction: 'Cold brew needs no heat.',
  section: 'Grind coarse. Wait long.',
}

export const ARTICLE_BODY = [
  ARTICLE.introduction,
  ...ARTICLE.headings.map(heading => `## ${heading}\n\n${ARTICLE.section}`),
].join('\n\n')

/** Requests to the model for one article: outline, introduction, sections, metadata. */
export const REQUESTS = 3 + ARTICLE.headings.length

type Part = 'outline' | 'introduction' | 'section' | 'metadata'

/** What a request is for, by its system prompt. */
export const partOf = ({ body }: LlmRequest): Part => {
  const [{ content = '' } = {}] = body.messages
  if (content.includes('introduction alone')) return 'introduction'
  if (content.includes('one section alone')) return 'section'
  return content.includes('headings of the article alone') ? 'outline' : 'metadata'
}

const TEXTS: { [part in Part]: string } = {
  outline: ARTICLE.headings.join('\n'),
  introduction: ARTICLE.introduction,
  section: ARTICLE.section,
  metadata: `Title: ${ARTICLE.title}\nSlug: cold-brew\nMeta description: How to brew it.`,
}

export const good: Responder = request => streamed([TEXTS[partOf(request)]])

/** Arden with a worker and a language model whose responses a test sets. */
export const useGenerating = async (
  settings: Record<string, string> = {},
  roles: Roles = { serve: true, worker: true },
) => {
  let respond = good
  const llm = useLlm((request, count) => respond(request, count))
  const arden = await useArden(roles, { ...llm.env, ...settings })
  const live = await arden.client()
  const tester = await arden.client({ mode: 'test' })
  const temporal = await useTemporal(arden.env)

  let keywords = 0
  const newKeyword = async (
    as: Client = live,
  ): Promise<{ id: string; project_id: string; keyword: string }> => {
    const { id } = (await as.post('/projects', { name: 'Blog' })).body.data
    const keyword = `cold brew ${++keywords}`
    return (await as.post(`/projects/${id}/keywords`, { keyword })).body.data
  }
  const get = async (id: string, as: Client = live) =>
    (await as.get(`/generations/${id}`)).body.data
  const workflow = (id: string, run = 1) =>
    temporal.client.workflow.getHandle(generationWorkflowId(id, run))
  const workflowStatus = async (id: string, run = 1) => {
    const description = await workflow(id, run)
      .describe()
      .catch(() => undefined) // Not started yet.
    return description?.status.name
  }
  return {
    arden,
    live,
    tester,
    temporal,
    llm,
    /** Sets the responses of the model from now on. */
    respond: (next: Responder) => {
      respond = next
    },
    /** The model's responses for a part pause until `go`; `paused` resolves when the first does. */
    pauseResponse: (part: Part = 'outline') => {
      const paused = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      respond = request => {
        if (partOf(request) !== part) return good(request, 1)
        paused.resolve()
        return streamed(['Grind.\n', { hold: gate.promise }, 'Wait.'])
      }
      return { paused: paused.promise, go: gate.resolve }
    },
    newKeyword,
    generate: async (as: Client = live) => {
      const response = await as.post('/generations', { keyword_id: (await newKeyword(as)).id })
      expect(response.status).toBe(202)
      return response.body.data
    },
    get,
    reaches: (id: string, status: string, as: Client = live) =>
      until(`${id} is ${status}`, async () => {
        const generation = await get(id, as)
        return generation.status === status && generation
      }),
    cancel: (id: string) => live.post(`/generations/${id}/cancel`),
    workflow,
    ends: (id: string, status: string, run = 1) =>
      until(`the workflow is ${status}`, async () => (await workflowStatus(id, run)) === status),
    /** However it ends. */
    isOver: (id: string) =>
      until('the workflow is over', async () => (await workflowStatus(id)) !== 'RUNNING'),
    /** The names of the project's events so far, oldest first, but for that of its keyword. */
    eventsOf: async ({ project_id }: { project_id: string }) => {
      const rows = await arden.sql<{ type: string }[]>`
        SELECT type FROM events WHERE body::jsonb #>> '{data,project_id}' = ${project_id}
          AND type <> 'keyword.created' ORDER BY created_at, id`
      return rows.map(row => row.type)
    },
    articlesOf: async ({ project_id }: { project_id: string }) =>
      (await live.get(`/articles?project_id=${project_id}`)).body.data,
    /** The used part of this month's quota. */
    used: async () => (await live.get('/usage')).body.data.generations,
  }
}
