import { setTimeout as sleep } from 'node:timers/promises'
import type { Arden, GenerationDetail } from '@arden/sdk'
import { EXIT, StartError } from '../../errors'
import { print, printJson } from '../print'
import { startGeneration, withKeywordAndBrief } from './brief-options'
import { apiCommand, withApi } from './connection'

/** How often the generation is read, in ms. */
const INTERVAL_MS = 1_000

export const generateCommand = () =>
  withKeywordAndBrief(apiCommand('generate'))
    .description(
      'Generate an article, wait until it is written, and print it as Markdown. With --json it prints the generation.',
    )
    .action(({ json, ...options }) =>
      withApi(options, async api => {
        const { data } = await startGeneration(api, options)
        const generation = await untilEnded(api, data)
        if (json) printJson(generation)
        if (generation.status === 'FAILED' || generation.status === 'CANCELLED')
          throw new StartError(endedWithout(generation), { exitCode: EXIT.failed })
        if (!json) print(await describeEnd(api, generation))
      }),
    )

const untilEnded = async (api: Arden, started: GenerationDetail): Promise<GenerationDetail> => {
  const path = { id: started.id }
  let generation = started
  while (generation.status === 'QUEUED' || generation.status === 'RUNNING') {
    await sleep(INTERVAL_MS)
    generation = (await api.get('/generations/{id}', { path })).data
  }
  return generation
}

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
