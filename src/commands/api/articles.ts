import type { Arden, Article } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { fromMarkdown } from '../../content/export/front-matter'
import { EXIT, StartError } from '../../errors'
import { idArgument, readId, readIdOrEmpty } from '../ids'
import { printNote, table } from '../print'
import { versionCommands } from './article-versions'
import { apiCommand } from './connection'
import {
  choiceOption,
  deleteCommand,
  emptyToNull,
  listCommand,
  printList,
  printRecord,
  recordCommand,
  searchOption,
  toChanges,
  withoutAbsent,
} from './records'
import { nameOfFile, readTextFile } from './text-file'

const ARTICLE = ['article', 'art'] as const

const STATUSES = ['DRAFT', 'PUBLISHED'] as const

const TITLE = ['--title <title>', '1 to 300 characters'] as const
const SLUG = ['--slug <slug>', 'its part of a URL'] as const
const BODY = ['--body <markdown>', 'its text, in Markdown'] as const
const BODY_FILE = ['--body-file <file>', 'file with its text; - reads stdin'] as const
const META_TITLE = [
  '--meta-title <text>',
  'its title for search engines; empty removes it',
] as const
const META_DESCRIPTION = [
  '--meta-description <text>',
  'its description for search engines; empty removes it',
] as const
const KEYWORD = [
  '--keyword <id>',
  'its keyword (kw_...); empty removes it',
  readIdOrEmpty('kw'),
] as const

export const articlesCommand = () => {
  const command = new Command('articles')
    .description(
      'Articles: list, show, create, update, publish, schedule, unpublish, delete, check, versions, version, restore.',
    )
    .addCommand(listOfArticlesCommand())
    .addCommand(
      recordCommand('show', 'Show an article and its text.', ARTICLE, (api, id) =>
        api.get('/articles/{id}', { path: { id } }),
      ),
    )
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(
      recordCommand('publish', 'Publish an article.', ARTICLE, (api, id) =>
        setStatus(api, id, 'PUBLISHED'),
      ),
    )
    .addCommand(
      recordCommand('unpublish', 'Make a published article a draft again.', ARTICLE, (api, id) =>
        setStatus(api, id, 'DRAFT'),
      ),
    )
    .addCommand(scheduleCommand())
    .addCommand(checkCommand())
    .addCommand(deleteCommand(ARTICLE, (api, id) => api.delete('/articles/{id}', { path: { id } })))
  for (const one of versionCommands()) command.addCommand(one)
  return command
}

const listOfArticlesCommand = () =>
  listCommand('articles')
    .addOption(choiceOption('--status <status>', 'only with this status', STATUSES))
    .option('--project <id>', 'only of this project (prj_...)', readId('prj'))
    .option('--keyword <id>', 'only of this keyword (kw_...)', readId('kw'))
    .addOption(searchOption('title or slug'))
    .action(({ status, project: project_id, keyword: keyword_id, search, ...options }) => {
      const filter = withoutAbsent({ status, project_id, keyword_id, search })
      const texts = { none: 'No articles.', filter, toTable: articleTable }
      return printList(options, texts, (api, page) =>
        api.list('/articles', { query: { ...page, ...filter } }),
      )
    })

const createCommand = () =>
  apiCommand('create')
    .description('Create an article, by default a draft.')
    .requiredOption('--project <id>', 'the project (prj_...)', readId('prj'))
    .requiredOption(...TITLE)
    .option(...BODY)
    .option(...BODY_FILE)
    .option(...SLUG)
    .option(...META_TITLE)
    .option(...META_DESCRIPTION)
    .option(...KEYWORD)
    .addOption(choiceOption('--status <status>', 'DRAFT or PUBLISHED', STATUSES))
    .addHelpText(
      'after',
      '\nExample:\n  arden articles create --project prj_... --title "Cold brew" --body-file cold-brew.md',
    )
    .action(async ({ project: project_id, title, slug, status, ...rest }) => {
      const { nullable, ...others } = takeNullable(rest)
      const { text: body, options } = await readText(others)
      const optional = withoutAbsent({ body, slug, status, ...nullable })
      await printRecord(options, api =>
        api.post('/articles', { body: { project_id, title, ...optional } }),
      )
    })

const updateCommand = () =>
  apiCommand('update')
    .description('Change an article.')
    .argument(...idArgument(ARTICLE))
    .option(...TITLE)
    .option(...BODY)
    .option(...BODY_FILE)
    .option(...SLUG)
    .option(...META_TITLE)
    .option(...META_DESCRIPTION)
    .option(...KEYWORD)
    .action(async (id, { title, slug, ...rest }) => {
      const { nullable, ...others } = takeNullable(rest)
      const { text, options } = await readText(others, id)
      const body = toChanges({ title, body: text, slug, ...nullable })
      await printRecord(options, api => api.patch('/articles/{id}', { path: { id }, body }))
    })

const scheduleCommand = () =>
  apiCommand('schedule')
    .description('Publish a draft later.')
    .argument(...idArgument(ARTICLE))
    .argument('<time>', 'such as 2031-01-31T09:00:00Z; empty cancels it')
    .action((id, time, options) =>
      printRecord(options, api =>
        api.patch('/articles/{id}', {
          path: { id },
          body: { scheduled_at: emptyToNull(time) ?? null },
        }),
      ),
    )

const checkCommand = () =>
  apiCommand('check')
    .description('Check the text of an article.')
    .argument(...idArgument(ARTICLE))
    .option('--links', 'request its links as well')
    .action((id, { links, ...options }) =>
      printRecord(
        options,
        api =>
          api.get('/articles/{id}/checks', {
            path: { id },
            query: { links: links === true ? 'true' : 'false' },
          }),
        ({ checks }) =>
          table(checks.map(({ severity, code, message }) => [severity, code, message])),
      ),
    )

const setStatus = (api: Arden, id: string, status: Article['status']) =>
  api.patch('/articles/{id}', { path: { id }, body: { status } })

type NullableOptions = { keyword?: string; metaTitle?: string; metaDescription?: string }

/** The members that an empty option removes, and the other options. */
const takeNullable = <T extends NullableOptions>({
  keyword,
  metaTitle,
  metaDescription,
  ...others
}: T) => ({
  ...others,
  nullable: {
    keyword_id: emptyToNull(keyword),
    meta_title: emptyToNull(metaTitle),
    meta_description: emptyToNull(metaDescription),
  },
})

/** The text of an article, `id` if it exists, from one of its two options, and the other options. */
const readText = async <T extends { body?: string; bodyFile?: string }>(
  { body, bodyFile, ...options }: T,
  id?: string,
) => {
  if (bodyFile === undefined) return { text: body, options }
  if (body !== undefined)
    throw new StartError('Use either --body or --body-file, not both.', { exitCode: EXIT.usage })
  const text = await readTextFile(bodyFile)
  const exported = fromMarkdown(text)
  if (exported === undefined) return { text, options }
  if (id !== undefined && id !== exported.id)
    throw new StartError(
      `${nameOfFile(bodyFile)} is the export of ${exported.id}, not of ${id}. Update that article, or remove the front matter of the file.`,
      { exitCode: EXIT.usage },
    )
  printNote('dim', 'The front matter of the exported file is left out: only its text is read.')
  return { text: exported.body, options }
}

const articleTable = (articles: readonly Article[]): string =>
  table([
    ['ID', 'STATUS', 'TITLE', 'PROJECT', 'UPDATED'],
    ...articles.map(one => [one.id, one.status, one.title, one.project_id, one.updated_at]),
  ])
