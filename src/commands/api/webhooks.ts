import { ArdenError, type Webhook, type WebhookWithSecret } from '@arden/sdk'
import { Command, Option } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { OVERLAP_MAX_SECONDS } from '../../webhooks/endpoints/schema'
import { ALL_EVENTS, EVENT_TYPES } from '../../webhooks/events/types'
import { idArgument } from '../ids'
import { wholeNumber } from '../number'
import { table } from '../print'
import { apiCommand, messageOf, readEventTypes } from './connection'
import { deliveryTable } from './deliveries'
import { toLines } from './record-text'
import {
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
import { HEADER, REMOVE_HEADER } from './webhook-headers'

const WEBHOOK = ['webhook', 'wh'] as const

// `--url` is that of the API.
const ENDPOINT = ['--endpoint <url>', 'URL that receives the deliveries'] as const
const EVENTS = [
  '--events <types>',
  'event types separated by commas, or * for all',
  (text: string, before?: Webhook['events']) => readSubscriptions(text, before),
] as const
const DESCRIPTION = ['--description <text>', 'what it is for; empty removes it'] as const
const ORDERED = ['--ordered', 'send one event at a time, in commit order'] as const

export const webhooksCommand = () =>
  new Command('webhooks')
    .description(
      'Webhooks: list, show, create, update, delete, test, rotate-secret, pause, resume, enable, disable, redeliver.',
    )
    .addCommand(
      listCommand('webhooks')
        .addOption(searchOption('URL or description'))
        .action(({ search, ...options }) =>
          printList(options, { none: 'No webhooks.', toTable: webhookTable }, (api, page) =>
            api.list('/webhooks', { query: { ...page, ...withoutAbsent({ search }) } }),
          ),
        ),
    )
    .addCommand(
      recordCommand('show', 'Show a webhook.', WEBHOOK, (api, id) =>
        api.get('/webhooks/{id}', { path: { id } }),
      ),
    )
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand(WEBHOOK, (api, id) => api.delete('/webhooks/{id}', { path: { id } })))
    .addCommand(testCommand())
    .addCommand(rotateSecretCommand())
    .addCommand(
      recordCommand('pause', 'Send nothing; deliveries wait.', WEBHOOK, (api, id) =>
        api.post('/webhooks/{id}/pause', { path: { id } }),
      ),
    )
    .addCommand(
      recordCommand(
        'resume',
        'Send what has waited. Where the webhook is disabled, it fails.',
        WEBHOOK,
        (api, id) => api.post('/webhooks/{id}/resume', { path: { id } }),
      ),
    )
    .addCommand(
      recordCommand('enable', 'Enable a disabled webhook.', WEBHOOK, (api, id) =>
        api.patch('/webhooks/{id}', { path: { id }, body: { enabled: true } }),
      ),
    )
    .addCommand(
      recordCommand('disable', 'Send nothing; deliveries fail.', WEBHOOK, (api, id) =>
        api.patch('/webhooks/{id}', { path: { id }, body: { enabled: false } }),
      ),
    )
    .addCommand(redeliverCommand())

const createCommand = () =>
  apiCommand('create')
    .description('Create a webhook. Its secret is printed once.')
    .requiredOption(...ENDPOINT)
    .requiredOption(...EVENTS)
    .option(...DESCRIPTION)
    .option(...HEADER)
    .option(...ORDERED)
    .addHelpText(
      'after',
      '\nExample:\n  arden webhooks create --endpoint https://example.com/hooks --events article.published',
    )
    .action(({ endpoint: url, events, description, header, ordered, ...options }) =>
      printRecord(
        options,
        api =>
          nameEndpoint(
            api.post('/webhooks', {
              body: {
                url,
                events,
                ...withoutAbsent({
                  description: emptyToNull(description),
                  headers: header,
                  ordered,
                }),
              },
            }),
          ),
        withSecret,
      ),
    )

const updateCommand = () =>
  apiCommand('update')
    .description('Change a webhook.')
    .argument(...idArgument(WEBHOOK))
    .option(...ENDPOINT)
    .option(...EVENTS)
    .option(...DESCRIPTION)
    .option(...HEADER)
    .option(...REMOVE_HEADER)
    .option(...ORDERED)
    .option('--no-ordered', 'send events as they happen, several at a time')
    .action((id, { endpoint: url, events, description, ordered, ...rest }) => {
      const { header, removeHeader, ...options } = rest
      const headers = (header ?? removeHeader) && { ...removeHeader, ...header }
      const body = toChanges({
        url,
        events,
        description: emptyToNull(description),
        headers,
        ordered,
      })
      return printRecord(options, api =>
        nameEndpoint(api.patch('/webhooks/{id}', { path: { id }, body })),
      )
    })

/** The API names its member `url`, and here `--url` is that of the API. @throws {StartError} */
const nameEndpoint = async <T>(call: Promise<T>): Promise<T> => {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ArdenError) || error.code !== 'VALIDATION_ERROR') throw error
    throw new StartError(messageOf(error).replace(/(^|; |\n {2})url: /, '$1--endpoint: '), {
      exitCode: EXIT.refused,
    })
  }
}

const testCommand = () =>
  apiCommand('test')
    .description('Send a sample event to a webhook, also while it is disabled.')
    .argument(...idArgument(WEBHOOK))
    .addOption(
      new Option('--event <type>', 'event type; default: generation.completed').choices(
        EVENT_TYPES,
      ),
    )
    .action((id, { event, ...options }) =>
      printRecord(
        options,
        api => api.post('/webhooks/{id}/test', { path: { id }, body: withoutAbsent({ event }) }),
        delivery => deliveryTable([delivery]),
      ),
    )

const rotateSecretCommand = () =>
  apiCommand('rotate-secret')
    .description('Replace the secret of a webhook. The new one is printed once.')
    .argument(...idArgument(WEBHOOK))
    .option(
      '--overlap-seconds <n>',
      'for how long webhook-signature also carries a signature by the old one; default: 0',
      wholeNumber(0, OVERLAP_MAX_SECONDS),
    )
    .action((id, { overlapSeconds: overlap_seconds, ...options }) =>
      printRecord(
        options,
        api =>
          api.post('/webhooks/{id}/rotate-secret', {
            path: { id },
            body: withoutAbsent({ overlap_seconds }),
          }),
        withSecret,
      ),
    )

const redeliverCommand = () =>
  apiCommand('redeliver')
    .description('Send all failed deliveries of a webhook again.')
    .argument(...idArgument(WEBHOOK))
    .option('--created-after <time>', 'only those created after this time, ISO 8601')
    .action((id, { createdAfter: created_after, ...options }) =>
      printRecord(
        options,
        api =>
          api.post('/webhooks/{id}/redeliver', {
            path: { id },
            body: { status: 'FAILED', ...withoutAbsent({ created_after }) },
          }),
        ({ count }) => `Sending ${count} ${count === 1 ? 'delivery' : 'deliveries'} again.`,
      ),
    )

const readSubscriptions = (text: string, before: Webhook['events'] = []): Webhook['events'] =>
  text === ALL_EVENTS || before.includes(ALL_EVENTS)
    ? [ALL_EVENTS]
    : readEventTypes(
        text,
        before.filter(type => type !== ALL_EVENTS),
      )

const withSecret = (webhook: WebhookWithSecret): string =>
  `${toLines(webhook)}\n\nThe secret is shown only now. Keep it in a safe place.`

const webhookTable = (webhooks: readonly Webhook[]): string =>
  table([
    ['ID', 'STATUS', 'ENDPOINT', 'EVENTS', 'DESCRIPTION'],
    ...webhooks.map(one => [
      one.id,
      statusOf(one),
      one.url,
      one.events.join(','),
      one.description ?? '',
    ]),
  ])

const statusOf = ({ enabled, paused }: Webhook): string => {
  if (!enabled) return 'disabled'
  return paused ? 'paused' : 'enabled'
}
