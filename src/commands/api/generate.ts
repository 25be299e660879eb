import { setTimeout as sleep } from 'node:timers/promises'
import { type Arden, ArdenError, type GenerationDetail } from '@arden/sdk'
import { EXIT, StartError } from '../../errors'
import { print, printJson, printNote } from '../print'
import { startGeneration, withKeywordAndBrief } from './brief-options'
import { apiCommand, commandError, withApi } from './connection'

/** How often the generation is read, in ms: in the first minute, and then, because each time counts as a request. */
const INTERVAL_MS = 1_000
const LATER_INTERVAL_MS = 5_000
/** How long a server that does not respond, or refuses for a time, is waited for, in ms: longer than its restart. */
const PATIENCE_MS = 120_000

export const generateCommand = () =>
  withKeywordAndBrief(apiCommand('generate'))
    .description(
      'Generate an article, wait until it is written, and print it as Markdown. With --json it prints the generation.',
    )
    .action(({ json, ...options }) =>
      withApi(options, async (api, { url }) => {
        const { data } = await startGeneration(api, options)
        // Before the wait: a user who ends it would otherwise not know that there is one, and queue another.
        printNote('dim', `${data.id} is queued. Ctrl-C ends the wait, not the generation.`)
        const read = patiently(data.id, url)
        const generation = await untilEnded(api, data, read)
        if (json) printJson(generation)
        if (generation.status === 'FAILED' || generation.status === 'CANCELLED')
          throw new StartError(endedWithout(generation), { exitCode: EXIT.failed })
        if (!json) print(await read(() => describeEnd(api, generation)))
      }),
    )

type Read = <T>(call: () => Promise<T>) => Promise<T>

/** Repeats a call that the server does not answer, or refuses for a time, for as long as PATIENCE_MS. */
const patiently =
  (id: string, url: string): Read =>
  async call => {
    const begunAt = performance.now()
    for (;;)
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof ArdenError) || !isTemporary(error)) throw error
        const waitMs =
          'retryAfter' in error && error.retryAfter !== undefined
            ? error.retryAfter * 1000
            : INTERVAL_MS
        if (performance.now() - begunAt + waitMs > PATIENCE_MS) throw error
        printNote('yellow', `${commandError(error, url).message} Still waiting for ${id}.`)
        await sleep(waitMs)
      }
  }

const untilEnded = async (
  api: Arden,
  started: GenerationDetail,
  read: Read,
): Promise<GenerationDetail> => {
  const path = { id: started.id }
  const begunAt = performance.now()
  let generation = started
  while (generation.status === 'QUEUED' || generation.status === 'RUNNING') {
    await sleep(performance.now() - begunAt < 60_000 ? INTERVAL_MS : LATER_INTERVAL_MS)
    generation = (await read(() => api.get('/generations/{id}', { path }))).data
  }
  return generation
}

const isTemporary = ({ status = 503 }: ArdenError) => status === 429 || status >= 500

const describeEnd = async (
  api: Arden,
  { id, status, outline, article_id }: GenerationDetail,
): Promise<string> => {
  if (status === 'AWAITING_APPROVAL')
    return `${(outline ?? []).map(heading => `- ${heading}`).join('\n')}\n\nThe outline waits for an approval: arden generations approve ${id}`
  if (article_id === null) return ''
  const { data: article } = await api.get('/articles/{id}', { path: { id: article_id } })
  return `# ${article.title}\n\n${article.body}`
}

const endedWithout = ({ id, status, error }: GenerationDetail): string =>
  `${id} is ${status}${error === null ? '.' : `: ${error.message}`}`
