import type { EventType } from '../../src/webhooks/events/types'
import type { ExpectedEvent, WrongResponse } from './check/history'
import type { Random } from './random'

export type Load = {
  expected: ExpectedEvent[]
  /** Changes with a 2xx response, and those with an error or no response, which may have happened. */
  changes: number
  uncertain: number
  /** The bodies of responses with 503. */
  refusals: string[]
  /** Every other response: a fault of Arden, or of this program. */
  wrong: WrongResponse[]
}

/** Longest wait for one response, in ms; a request of a killed `serve` fails at once. */
const RESPONSE_MS = 20_000
const AFTER_ERROR_MS = 250

/** The id of the record, and when it was requested and there. */
type Done = { id: string; change: { from: number; to: number } }
type Call = (method: string, path: string, body?: unknown) => Promise<Done | undefined>

/**
 * Changes articles through the API until `load.expected` has `events` or `signal`: `callers` at a time, at
 * about `perSecond` events. An article is not changed again after a change without a response.
 */
export const runLoad = async (
  load: Load,
  options: {
    url: string
    key: string
    random: Random
    callers: number
    events: number
    perSecond: number
    signal: AbortSignal
  },
): Promise<void> => {
  const { url, key, random, callers, events, perSecond, signal } = options
  const call: Call = async (method, path, body) => {
    const from = performance.now()
    const response = await fetch(`${url}/api/public/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
      signal: AbortSignal.timeout(RESPONSE_MS),
    })
      .then(async response => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined)
    if (response !== undefined && response.status < 300) {
      load.changes++
      return { id: JSON.parse(response.text).data.id, change: { from, to: performance.now() } }
    }
    load.uncertain++
    // A database that is away is 503; nothing else may become of a good request.
    if (response?.status === 503) load.refusals.push(response.text)
    else if (response !== undefined) load.wrong.push({ request: `${method} ${path}`, ...response })
    await Bun.sleep(AFTER_ERROR_MS)
    return undefined
  }
  const done = () => signal.aborted || load.expected.length >= events
  const fired = async ({ change }: Done, article: string, ...types: EventType[]) => {
    load.expected.push(...types.map(type => ({ article, type, change })))
    await Bun.sleep((types.length * callers * 1000 * random.between(0.5, 1.5)) / perSecond)
  }
  const caller = async () => {
    let project: Done | undefined
    while (project === undefined && !signal.aborted)
      project = await call('POST', '/projects', { name: 'Faults' })
    while (!done()) await liveOneArticle(call, random, project?.id, fired)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Created as a draft or published, perhaps published later, perhaps deleted. */
const liveOneArticle = async (
  call: Call,
  random: Random,
  project: string | undefined,
  fired: (change: Done, article: string, ...types: EventType[]) => Promise<void>,
) => {
  const asDraft = random.next() < 0.5
  const status = asDraft ? 'DRAFT' : 'PUBLISHED'
  const article = { project_id: project, title: 'Faults', status }
  const created = await call('POST', '/articles', article)
  if (created === undefined) return
  const { id } = created
  if (asDraft) await fired(created, id, 'article.created')
  else await fired(created, id, 'article.created', 'article.published')
  if (asDraft && random.next() < 0.5) {
    const published = await call('PATCH', `/articles/${id}`, { status: 'PUBLISHED' })
    if (published === undefined) return
    await fired(published, id, 'article.updated', 'article.published')
  }
  if (random.next() >= 0.2) return
  const deleted = await call('DELETE', `/articles/${id}`)
  if (deleted !== undefined) await fired(deleted, id, 'article.deleted')
}
