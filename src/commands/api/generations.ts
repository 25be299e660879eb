import type { Arden, Generation, GenerationDetail } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { appendId, idArgument, readId } from '../ids'
import { print, printJson, table } from '../print'
import {
  append,
  startGeneration,
  toBriefBody,
  withBrief,
  withKeywordAndBrief,
} from './brief-options'
import { apiCommand, withApi } from './connection'
import { toLines } from './record-text'
import {
  choiceOption,
  listCommand,
  printList,
  printRecord,
  recordCommand,
  searchOption,
  withoutAbsent,
} from './records'

const GENERATION = ['generation', 'gen'] as const

const STATUSES = [
  'QUEUED',
  'RUNNING',
  'AWAITING_APPROVAL',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const

export const generationsCommand = () =>
  new Command('generations')
    .description('Generations: list, show, create, create-many, approve, retry, cancel.')
    .addCommand(listOfGenerationsCommand())
    .addCommand(
      generationCommand('show', 'Show a generation and its progress.', (api, id) =>
        api.get('/generations/{id}', { path: { id } }),
      ),
    )
    .addCommand(createCommand())
    .addCommand(createManyCommand())
    .addCommand(approveCommand())
    .addCommand(
      generationCommand(
        'retry',
        'Retry a generation that failed: finished steps are not written again.',
        (api, id) => api.post('/generations/{id}/retry', { path: { id } }),
      ),
    )
    .addCommand(
      generationCommand('cancel', 'Cancel a generation that has not ended.', (api, id) =>
        api.post('/generations/{id}/cancel', { path: { id } }),
      ),
    )

const listOfGenerationsCommand = () =>
  listCommand('generations')
    .addOption(choiceOption('--status <status>', 'only with this status', STATUSES))
    .option('--project <id>', 'only of this project (prj_...)', readId('prj'))
    .option('--keyword <id>', 'only of this keyword (kw_...)', readId('kw'))
    .addOption(searchOption('the keyword'))
    .action(({ status, project: project_id, keyword: keyword_id, search, ...options }) => {
      const filter = withoutAbsent({ status, project_id, keyword_id, search })
      const texts = { none: 'No generations.', filter, toTable: generationTable }
      return printList(options, texts, (api, page) =>
        api.list('/generations', { query: { ...page, ...filter } }),
      )
    })

const generationCommand = (
  name: string,
  description: string,
  call: (api: Arden, id: string) => Promise<{ data: GenerationDetail }>,
) => recordCommand(name, description, GENERATION, call, generationText)

const createCommand = () =>
  withKeywordAndBrief(apiCommand('create'))
    .description('Generate an article for a keyword. It becomes a draft of the project.')
    .action(options => printRecord(options, api => startGeneration(api, options), generationText))

const createManyCommand = () =>
  withBrief(apiCommand('create-many'))
    .description(
      'Generate an article for each of several keywords, or, with an error in any, none.',
    )
    .requiredOption('--project <id>', 'the project of the keywords (prj_...)', readId('prj'))
    .requiredOption('--keyword <id>', 'a keyword (kw_...); repeat it for several', appendId('kw'))
    .action(({ project: id, keyword: keyword_ids, json, ...options }) =>
      withApi(options, async api => {
        const body = { keyword_ids, ...toBriefBody(options) }
        const { data } = await api.post('/projects/{id}/generations', { path: { id }, body })
        if (json) printJson(data)
        else print(generationTable(data))
      }),
    )

const approveCommand = () =>
  apiCommand('approve')
    .description('Approve the outline of a generation that waits for it.')
    .argument(...idArgument(GENERATION))
    .option('--heading <text>', 'a heading in place of its outline; repeat it for several', append)
    .action((id, { heading: outline, ...options }) =>
      printRecord(
        options,
        api =>
          api.post('/generations/{id}/approve', { path: { id }, body: withoutAbsent({ outline }) }),
        generationText,
      ),
    )

/** Its steps as a table of their progress. Their texts, which are long, are in --json alone. */
const generationText = ({ steps, ...generation }: GenerationDetail): string =>
  toLines({
    ...generation,
    steps: steps.map(
      ({ step, heading, status, model, input_tokens: input, output_tokens: output, ...times }) => ({
        step,
        heading: step === 'section' ? (heading ?? 'Introduction') : '',
        status,
        model,
        input,
        output,
        finished: times.finished_at,
      }),
    ),
  })

const generationTable = (generations: readonly Generation[]): string =>
  table([
    ['ID', 'STATUS', 'KEYWORD', 'ARTICLE', 'WHY', 'CREATED'],
    ...generations.map(one => [
      one.id,
      one.status === 'RUNNING' ? `RUNNING ${one.progress} %` : one.status,
      one.keyword,
      one.article_id ?? '',
      one.error?.message ?? '',
      one.created_at,
    ]),
  ])
