import type { Attempt, Delivery } from '@arden/sdk'
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { PAGE_LIMIT_MAX } from '../../db/page'
import { EVENT_TYPES } from '../../webhooks/events/types'
import { wholeNumber } from '../number'
import { print, printJson, table } from '../print'
import { apiCommand, withApi } from './connection'

export const deliveriesCommand = () =>
  new Command('deliveries')
    .description('Deliveries: list, show, redeliver.')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(redeliverCommand())

const ID = ['<id>', 'id of the delivery (dlv_...)'] as const

const STATUSES = ['RETRYING', 'DELIVERED', 'FAILED'] as const

const readStatus = (text: string): Delivery['status'] => {
  const status = STATUSES.find(one => one === text.toUpperCase())
  if (status !== undefined) return status
  throw new InvalidArgumentError(`Allowed choices are ${STATUSES.join(', ')}.`)
}

const listCommand = () =>
  apiCommand('list')
    .description('List the newest deliveries to all webhooks.')
    .addOption(
      new Option('--status <status>', 'only with this status')
        // For the completion. The parser accepts any case.
        .choices(STATUSES)
        .argParser(readStatus),
    )
    .addOption(new Option('--event <type>', 'only of this event type').choices(EVENT_TYPES))
    .option('--webhook <id>', 'only to this webhook (wh_...)')
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, PAGE_LIMIT_MAX), 20)
    .action(({ status, event, webhook, limit, json, ...options }) =>
      withApi(options, async api => {
        const { data } = await api.get('/deliveries', {
          query: {
            limit,
            ...(status && { status }),
            ...(event && { event }),
            ...(webhook && { webhook_id: webhook }),
          },
        })
        if (json) return printJson(data)
        print(data.length === 0 ? 'No deliveries.' : deliveryTable(data))
      }),
    )

const showCommand = () =>
  apiCommand('show')
    .description('Show a delivery and its newest attempts.')
    .argument(...ID)
    .action((id, { json, ...options }) =>
      withApi(options, async api => {
        const { data: delivery } = await api.get('/deliveries/{id}', { path: { id } })
        if (json) return printJson(delivery)
        print(deliveryTable([delivery]))
        print(delivery.attempts.length === 0 ? 'No attempts yet.' : attemptTable(delivery.attempts))
      }),
    )

const redeliverCommand = () =>
  apiCommand('redeliver')
    .description('Send a delivery again.')
    .argument(...ID)
    .action((id, { json, ...options }) =>
      withApi(options, async api => {
        const { data: found } = await api.get('/deliveries/{id}', { path: { id } })
        const { data } = await api.post('/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          path: { id: found.webhook_id, delivery_id: id },
        })
        if (json) printJson(data)
        else print(`Sending ${id} to ${found.webhook_id} again.`)
      }),
    )

const attemptTable = (attempts: readonly Attempt[]): string =>
  table([
    ['ATTEMPT', 'STARTED', 'MS', 'STATUS', 'WHY'],
    ...attempts.map(one => [
      String(one.number),
      one.started_at,
      String(one.duration_ms),
      String(one.http_status ?? ''),
      one.error ?? '',
    ]),
  ])

export const deliveryTable = (deliveries: readonly Delivery[]): string =>
  table([
    ['ID', 'STATUS', 'EVENT', 'WEBHOOK', 'ATTEMPTS', 'WHY', 'CREATED'],
    ...deliveries.map(one => [
      one.id,
      one.status,
      one.event,
      one.webhook_id,
      String(one.attempt_count),
      one.error ?? (one.waits_for === null ? '' : `waits for ${one.waits_for}`),
      one.created_at,
    ]),
  ])
