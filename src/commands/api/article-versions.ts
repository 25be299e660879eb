import type { ArticleVersion } from '@arden/sdk'
import { idArgument } from '../ids'
import { wholeNumber } from '../number'
import { table } from '../print'
import { apiCommand } from './connection'
import { listCommand, printList, printRecord } from './records'

const ARTICLE = ['article', 'art'] as const
/** Of a version. The API keeps far fewer. */
const VERSION_MAX = 999_999_999

/** The commands of `arden articles` for the versions of an article. */
export const versionCommands = () => [versionsCommand(), versionCommand(), restoreCommand()]

const versionsCommand = () =>
  listCommand('versions of an article')
    .name('versions')
    .argument(...idArgument(ARTICLE))
    .action((id, options) =>
      printList(options, { none: 'No versions.', toTable: versionTable }, (api, query) =>
        api.list('/articles/{id}/versions', { path: { id }, query }),
      ),
    )

const versionCommand = () =>
  apiCommand('version')
    .description('Show a version of an article and its text.')
    .argument(...idArgument(ARTICLE))
    .argument('<version>', 'its number', wholeNumber(1, VERSION_MAX))
    .action((id, version, options) =>
      printRecord(options, api =>
        api.get('/articles/{id}/versions/{version}', { path: { id, version } }),
      ),
    )

const restoreCommand = () =>
  apiCommand('restore')
    .description('Give an article the text of one of its versions, as a new version.')
    .argument(...idArgument(ARTICLE))
    .argument('<version>', 'the number of the version', wholeNumber(1, VERSION_MAX))
    .action((id, version, options) =>
      printRecord(options, api =>
        api.post('/articles/{id}/versions/{version}/restore', {
          path: { id, version },
        }),
      ),
    )

const versionTable = (versions: readonly ArticleVersion[]): string =>
  table([
    ['VERSION', 'BY', 'CHANGED', 'CREATED'],
    ...versions.map(({ version, author, changed, restored_from, created_at }) => [
      String(version),
      author.name,
      restored_from === null ? changed.join(', ') : `restored version ${restored_from}`,
      created_at,
    ]),
  ])
