import type { Arden } from '@arden/sdk'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { PAGE_LIMIT_MAX } from '../../db/page'
import { EXIT, StartError } from '../../errors'
import { idArgument, type Subject } from '../ids'
import { wholeNumber } from '../number'
import { print, printJson, printNote } from '../print'
import { type ApiOptions, apiCommand, withApi } from './connection'
import { toLines } from './record-text'

/** What the commands of all records (webhooks, projects, articles, ...) share. */

type Options = ApiOptions & { json?: true }

/** Records that `list` prints at most; it reads several pages for them. */
const LIST_MAX = 10_000

/** A command that lists the newest records. */
export const listCommand = (records: string) =>
  apiCommand('list')
    .description(`List ${records}, newest first.`)
    .option('--limit <n>', `how many, 1 to ${LIST_MAX}`, wholeNumber(1, LIST_MAX), 20)

/** The option of lists that can be searched. `members` names what is searched. */
export const searchOption = (members: string) =>
  new Option('--search <text>', `only with these words in ${members}`)

/** Records by which lists are filtered. */
type Filter = {
  project_id?: string | undefined
  keyword_id?: string | undefined
  webhook_id?: string | undefined
}

/**
 * A filter by a record that does not exist, or of the other mode, matches nothing, as one without results does: this
 * says which it is.
 * @throws {ArdenError} 404 that names it.
 */
export const checkFilter = async (api: Arden, { project_id, keyword_id, webhook_id }: Filter) => {
  if (project_id !== undefined) await api.get('/projects/{id}', { path: { id: project_id } })
  if (keyword_id !== undefined) await api.get('/keywords/{id}', { path: { id: keyword_id } })
  if (webhook_id !== undefined) await api.get('/webhooks/{id}', { path: { id: webhook_id } })
}

/** Prints the first `limit` records, as a JSON array or as a table. `none` is the text for no records. */
export const printList = <T>(
  { limit, json, ...options }: Options & { limit: number },
  {
    none,
    filter = {},
    toTable,
  }: { none: string; filter?: Filter; toTable: (records: readonly T[]) => string },
  list: (api: Arden, page: { limit: number }) => AsyncIterable<T>,
) =>
  withApi(options, async api => {
    const records: T[] = []
    // One more than is shown says whether there are more.
    for await (const record of list(api, { limit: Math.min(limit + 1, PAGE_LIMIT_MAX) }))
      if (records.push(record) > limit) break
    const hasMore = records.splice(limit).length > 0
    if (records.length === 0) await checkFilter(api, filter)
    if (json) printJson(records)
    else print(records.length === 0 ? none : toTable(records))
    if (!hasMore) return
    const max = LIST_MAX.toLocaleString('en')
    printNote(
      'dim',
      limit < LIST_MAX
        ? `There are more. --limit shows up to ${max}.`
        : `There are more than ${max}.`,
    )
  })

/** Prints the record that `call` returns: as JSON, or `toText`, by default a line for each member. */
export const printRecord = <T extends object>(
  { json, ...options }: Options,
  call: (api: Arden) => Promise<{ data: T }>,
  toText: (record: T) => string = toLines,
) =>
  withApi(options, async api => {
    const { data } = await call(api)
    if (json) printJson(data)
    else print(toText(data))
  })

/** A command that takes the id of a record, and prints the record that `call` returns. */
export const recordCommand = <T extends object>(
  name: string,
  description: string,
  subject: Subject,
  call: (api: Arden, id: string) => Promise<{ data: T }>,
  toText?: (record: T) => string,
) =>
  apiCommand(name)
    .description(description)
    .argument(...idArgument(subject))
    .action((id, options) => printRecord(options, api => call(api, id), toText))

export const deleteCommand = (
  subject: Subject,
  call: (api: Arden, id: string) => Promise<{ data: { id: string } }>,
) =>
  apiCommand('delete')
    .description(`Delete the ${subject[0]}, at once and permanently.`)
    .argument(...idArgument(subject))
    .action((id, options) =>
      printRecord(
        options,
        api => call(api, id),
        deleted => `Deleted ${deleted.id}.`,
      ),
    )

/** The members that have a value: an option that is absent sets none. */
export const withoutAbsent = <T extends object>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof withoutAbsent<T>>

/** The same, for an update. @throws {StartError} when no option changes anything. */
export const toChanges = <T extends object>(members: T) => {
  const changes = withoutAbsent(members)
  if (Object.keys(changes).length > 0) return changes
  throw new StartError('Nothing to change: no option is set. Run it with --help for the options.', {
    exitCode: EXIT.usage,
  })
}

/** An option with one of several values, typed in any case. */
export const choiceOption = <Flags extends string, const T extends string>(
  flags: Flags,
  description: string,
  values: readonly T[],
) =>
  new Option(flags, description)
    // For the completion, and for --help.
    .choices(values)
    .argParser((text: string): T => {
      const value = values.find(one => one.toLowerCase() === text.toLowerCase())
      if (value !== undefined) return value
      throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`)
    })

/** The value of an option whose empty text removes the member. Its parser cannot return null: commander replaces it. */
export const emptyToNull = (text: string | undefined): string | null | undefined =>
  text === '' ? null : text
