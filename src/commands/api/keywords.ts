import type { Keyword, Ranking } from '@arden/sdk'
import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { CSV_COLUMNS, toCells } from '../../content/keywords/csv'
import { describeWrongFile } from '../../content/keywords/csv-file'
import { PAGE_LIMIT_MAX } from '../../db/page'
import { EXIT, StartError } from '../../errors'
import { csvLine } from '../../http/response/csv-line'
import { idArgument, readId } from '../ids'
import { print, printJson, table } from '../print'
import { append } from './brief-options'
import { apiCommand, withApi } from './connection'
import { toLines } from './record-text'
import {
  choiceOption,
  deleteCommand,
  listCommand,
  printList,
  printRecord,
  recordCommand,
  searchOption,
  toChanges,
  withoutAbsent,
} from './records'
import { nameOfFile, readBytes } from './text-file'

const KEYWORD = ['keyword', 'kw'] as const

const PROJECT = ['--project <id>', 'the project (prj_...)', readId('prj')] as const
const TEXT = ['--text <text>', 'the keyword itself'] as const
/** The API has the list of countries, and its message names the member. */
const readCountry = (text: string) => text.toUpperCase() as Keyword['country']
const COUNTRY = ['--country <code>', 'where the search is made, such as US', readCountry] as const
const device = () => choiceOption('--device <device>', 'what it is made on', ['desktop', 'mobile'])
const TRACKED = ['--tracked', 'runs check it, and its rankings fire keyword.ranked'] as const
const UNTRACKED = ['--no-tracked', 'no run checks it, and its rankings fire nothing'] as const

export const keywordsCommand = () =>
  new Command('keywords')
    .description('Keywords: list, show, create, update, delete, rankings, rank, import, export.')
    .addCommand(listOfProjectCommand())
    .addCommand(
      recordCommand('show', 'Show a keyword.', KEYWORD, (api, id) =>
        api.get('/keywords/{id}', { path: { id } }),
      ),
    )
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand(KEYWORD, (api, id) => api.delete('/keywords/{id}', { path: { id } })))
    .addCommand(rankingsCommand())
    .addCommand(rankCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())

const TAG = ['--tag <tag>', 'a tag; repeat it for several', append] as const
/** Without its empty ones: `--tag ""` alone removes all tags. */
const toTags = (tag: string[] | undefined) => tag?.filter(one => one !== '')

const SORTS = ['position', '-position', 'change', '-change'] as const

const listOfProjectCommand = () =>
  listCommand('the keywords of a project')
    .requiredOption(...PROJECT)
    .option('--country <code>', 'only of this country, such as US', readCountry)
    .addOption(choiceOption('--device <device>', 'only of this device', ['desktop', 'mobile']))
    .option('--tag <tag>', 'only with this tag')
    .addOption(
      choiceOption('--sort <order>', 'by position or change instead of newest first', SORTS),
    )
    .addOption(searchOption('the keyword'))
    .action(({ project: id, country, device, tag, sort, search, ...options }) =>
      printList(options, { none: 'No keywords.', toTable: keywordTable }, (api, page) =>
        api.list('/projects/{id}/keywords', {
          path: { id },
          query: { ...page, ...withoutAbsent({ country, device, tag, sort, search }) },
        }),
      ),
    )

const createCommand = () =>
  apiCommand('create')
    .description('Create a keyword in a project.')
    .requiredOption(...PROJECT)
    .requiredOption(...TEXT)
    .option(...COUNTRY)
    .addOption(device())
    .option(...UNTRACKED)
    .option(...TAG)
    .action(({ project: id, text: keyword, country, device, tracked, tag, ...options }) =>
      printRecord(options, api =>
        api.post('/projects/{id}/keywords', {
          path: { id },
          body: { keyword, tracked, ...withoutAbsent({ country, device, tags: toTags(tag) }) },
        }),
      ),
    )

const updateCommand = () =>
  apiCommand('update')
    .description(
      'Change a keyword. With rankings, only --tracked, --tag and its spelling can change.',
    )
    .argument(...idArgument(KEYWORD))
    .option(...TEXT)
    .option(...COUNTRY)
    .addOption(device())
    .option(...TRACKED)
    .option(...UNTRACKED)
    .option('--tag <tag>', 'its only tag; repeat it for several, "" for none', append)
    .action((id, { text: keyword, country, device, tracked, tag, ...options }) => {
      const body = toChanges({ keyword, country, device, tracked, tags: toTags(tag) })
      return printRecord(options, api => api.patch('/keywords/{id}', { path: { id }, body }))
    })

const rankingsCommand = () =>
  listCommand('the rankings of a keyword')
    .name('rankings')
    .argument(...idArgument(KEYWORD))
    .action((id, options) =>
      printList(options, { none: 'No rankings.', toTable: rankingTable }, (api, page) =>
        api.list('/keywords/{id}/rankings', { path: { id }, query: page }),
      ),
    )

const rankCommand = () =>
  apiCommand('rank')
    .description('Record a ranking of a keyword.')
    .argument(...idArgument(KEYWORD))
    .requiredOption('--position <n>', '1 to 100, or none where it was not found', readPosition)
    .option('--page <url>', 'the page that was found')
    .option('--checked-at <time>', 'ISO 8601; default: now')
    .action((id, { position, page: url, checkedAt: checked_at, ...options }) =>
      printRecord(options, api =>
        api.post('/keywords/{id}/rankings', {
          path: { id },
          body: {
            position: position === 'none' ? null : position,
            ...withoutAbsent({ url, checked_at }),
          },
        }),
      ),
    )

const importCommand = () =>
  apiCommand('import')
    .description('Import keywords from a CSV file; with an error in any line, none.')
    .argument('<file>', 'with a header: keyword, country, device, tracked, tags; - reads stdin')
    .requiredOption(...PROJECT)
    .option('--country <code>', 'of lines without one; default: US', readCountry)
    .option('--preview', 'only check the file')
    .action((file, { project: id, country, preview = false, ...options }) =>
      withApi(options, async api => {
        const csv = new TextDecoder().decode(await readBytes(file))
        const wrong = describeWrongFile(csv)
        if (wrong !== undefined)
          throw new StartError(`${nameOfFile(file)} cannot be imported. ${wrong}`, {
            exitCode: EXIT.usage,
          })
        const body = { csv, preview, ...withoutAbsent({ country }) }
        const { data } = await api.post('/projects/{id}/keywords/import', { path: { id }, body })
        if (options.json) printJson(data)
        else print(toLines(data))
        // Only a preview has errors: without it the API refuses the file for them.
        if (data.errors.length > 0)
          throw new StartError(
            `${nameOfFile(file)} has errors, so nothing of it can be imported. Correct them and try again.`,
            { exitCode: EXIT.refused },
          )
      }),
    )

const exportCommand = () =>
  apiCommand('export')
    .description('Print the keywords of a project as a CSV file.')
    .requiredOption(...PROJECT)
    .action(({ project: id, json, ...options }) =>
      withApi(options, async api => {
        const query = { limit: PAGE_LIMIT_MAX }
        const keywords = api.list('/projects/{id}/keywords', { path: { id }, query })
        if (json) return printJson(await Array.fromAsync(keywords))
        // With the first page: nothing is printed where the project cannot be read.
        let header = [csvLine(CSV_COLUMNS)]
        for await (const { data } of keywords.pages()) {
          for (const line of [...header, ...data.map(one => csvLine(toCells(one)))])
            print(line.trimEnd())
          header = []
        }
      }),
    )

/** Not null for `none`: commander replaces it. */
const readPosition = (text: string): number | 'none' => {
  if (text === 'none') return text
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number from 1 to 100, or none.')
}

const keywordTable = (keywords: readonly Keyword[]): string =>
  table([
    ['ID', 'KEYWORD', 'COUNTRY', 'DEVICE', 'TRACKED', 'POSITION', 'TAGS', 'CREATED'],
    ...keywords.map(one => [
      one.id,
      one.keyword,
      one.country,
      one.device,
      one.tracked ? 'yes' : 'no',
      String(one.latest_position ?? ''),
      one.tags.join(', '),
      one.created_at,
    ]),
  ])

const rankingTable = (rankings: readonly Ranking[]): string =>
  table([
    ['CHECKED', 'POSITION', 'PAGE'],
    ...rankings.map(one => [one.checked_at, String(one.position ?? 'none'), one.url ?? '']),
  ])
