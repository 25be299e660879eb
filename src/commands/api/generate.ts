import { setTimeout as sleep } from 'node:timers/promises'
import { type Arden, ArdenError, type GenerationDetail } from '@arden/sdk'
import { EXIT, StartError } from '../../errors'
import { print, printJson, printNote } from '../print'
import { startGeneration, withKeywordAndBrief } from './brief-options'
import { apiCommand, commandError, withApi } from './connection'

/** How often the generation is read, in ms. */
const INTERVAL_MS = 1_000
/** How long a server that does not respond is waited for, in ms: longer than its restart, or the window of a rate limit. */
const PATIENCE_MS = 120_000

export const generateCommand = () =>
  withKeywordAndBrief(apiCommand('generate'))
    .description(
      'Generate an article, wait until it is written, and print it as Markdown. With --json it prints the generation.',
    )
    .action(({ json, ...options }) =>
      withApi(options, async (api, { url }) => {
        const { data } = await startGeneration(api, options)
        // Before the wait: whoever ends it would otherwise not know that there is one, and queue another.
        printNote('dim', `${data.id} is queued. Ctrl-C ends the wait, not the generation.`)
        const generation = await untilEnded(api, data, url)
        if (json) printJson(generation)
        if (generation.status === 'FAILED' || generation.status === 'CANCELLED')
          throw new StartError(endedWithout(generation), { exitCode: EXIT.failed })
        if (!json) print(await describeEnd(api, generation))
      }),
    )

const untilEnded = async (
  api: Arden,
  started: GenerationDetail,
  url: string,
): Promise<GenerationDetail> => {
  const path = { id: started.id }
  let generation = started
  let respondedAt = performance.now()
  while (generation.status === 'QUEUED' || generation.status === 'RUNNING') {
    await sleep(INTERVAL_MS)
    try {
      generation = (await api.get('/generations/{id}', { path })).data
      respondedAt = performance.now()
    } catch (error) {
      const isOver = performance.now() - respondedAt > PATIENCE_MS
      if (isOver || !(error instanceof ArdenError) || !isTemporary(error)) throw error
      printNote('yellow', `${commandError(error, url).message} Still waiting for ${started.id}.`)
      await sleep('retryAfter' in error ? error.retryAfter * 1000 : INTERVAL_MS)
    }
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
