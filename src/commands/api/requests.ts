import type { FailedRequest } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { readId } from '../ids'
import { wholeNumber } from '../number'
import { table } from '../print'
import { listCommand, printList, recordCommand, withoutAbsent } from './records'

export const requestsCommand = () =>
  new Command('requests')
    .description('Requests that failed, except with 401 or 429: list, show.')
    .addCommand(listOfRequestsCommand())
    .addCommand(
      recordCommand('show', 'Show a failed request.', ['failed request', 'req'], (api, id) =>
        api.get('/requests/{id}', { path: { id } }),
      ),
    )

const listOfRequestsCommand = () =>
  listCommand('failed requests')
    .option('--status <number>', 'only with this status', wholeNumber(400, 599))
    .option('--key-id <id>', 'only of this API key (key_...)', readId('key'))
    .option('--request-id <id>', 'only with this X-Request-Id of the response')
    .action(({ status, keyId: key_id, requestId: request_id, ...options }) =>
      printList(options, { none: NONE, toTable: requestTable }, (api, page) =>
        api.list('/requests', {
          query: { ...page, ...withoutAbsent({ status, key_id, request_id }) },
        }),
      ),
    )

const NONE =
  'No failed requests. Those that were refused with 401 or 429 are not logged, nor those whose key could not be checked (503).'

const requestTable = (requests: readonly FailedRequest[]): string =>
  table([
    ['ID', 'TIME', 'STATUS', 'METHOD', 'PATH', 'MADE BY', 'MESSAGE'],
    ...requests.map(one => [
      one.id,
      one.created_at,
      String(one.status),
      one.method,
      one.path,
      one.actor.name,
      one.message,
    ]),
  ])
