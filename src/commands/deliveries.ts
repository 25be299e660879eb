import { Command, Option } from '@commander-js/extra-typings'
import type { Delivery } from '../webhooks/deliveries/schema'
import { EVENT_TYPES } from '../webhooks/events/types'
import { apiCommand, apiOf } from './api'
import { print, printJson, table } from './print'

export const deliveriesCommand = () =>
  new Command('deliveries').description('Deliveries: list.').addCommand(listCommand())

const listCommand = () =>
  apiCommand('list')
    .description('List the newest deliveries to all webhooks.')
    .addOption(
      new Option('--status <status>', 'only these').choices([
        'RETRYING',
        'DELIVERED',
        'FAILED',
      ] as const),
    )
    .addOption(new Option('--event <type>', 'only of this type').choices(EVENT_TYPES))
    .option('--webhook <id>', 'only to this one (wh_...)')
    .option('--limit <n>', 'how many, 1 to 100', '20')
    .action(async ({ status, event, webhook, limit, json, ...options }) => {
      const query = new URLSearchParams({
        limit,
        ...(status && { status }),
        ...(event && { event }),
        ...(webhook && { webhook_id: webhook }),
      })
      const { data } = await apiOf(options).call<{ data: Delivery[] }>(
        'GET',
        `/deliveries?${query}`,
      )
      if (json) return printJson(data)
      print(data.length === 0 ? 'No deliveries.' : deliveryTable(data))
    })

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
