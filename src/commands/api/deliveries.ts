import type { Attempt, Delivery } from '@arden/sdk'
import { Command, Option } from '@commander-js/extra-typings'
import { adviseOnDelivery } from '../../webhooks/deliveries/advice'
import { EVENT_TYPES } from '../../webhooks/events/types'
import { idArgument, readId } from '../ids'
import { print, printJson, table } from '../print'
import { apiCommand, withApi } from './connection'
import { findWebhook } from './find-webhook'
import { choiceOption, listCommand, printList, withoutAbsent } from './records'
import { describeWait } from './wait'

export const deliveriesCommand = () =>
  new Command('deliveries')
    .description('Deliveries: list, show, redeliver.')
    .addCommand(listOfDeliveriesCommand())
    .addCommand(showCommand())
    .addCommand(redeliverCommand())

const ID = idArgument(['delivery', 'dlv'])

const STATUSES = ['RETRYING', 'DELIVERED', 'FAILED'] as const

const listOfDeliveriesCommand = () =>
  listCommand('deliveries to all webhooks')
    .addOption(choiceOption('--status <status>', 'only with this status', STATUSES))
    .addOption(new Option('--event <type>', 'only of this event type').choices(EVENT_TYPES))
    .option('--webhook <id>', 'only to this webhook (wh_...)', readId('wh'))
    .action(({ status, event, webhook: webhook_id, ...options }) => {
      const query = withoutAbsent({ status, event, webhook_id })
      // A webhook that was deleted may have deliveries beside those of the status or the event.
      const filter = status === undefined && event === undefined ? query : {}
      const texts = { none: 'No deliveries.', filter, toTable: deliveryTable }
      return printList(options, texts, (api, page) =>
        api.list('/deliveries', { query: { ...page, ...query } }),
      )
    })

const showCommand = () =>
  apiCommand('show')
    .description(
      'Show a delivery, its newest attempts, what to do about a failure, and the last response body.',
    )
    .argument(...ID)
    .action((id, { json, ...options }) =>
      withApi(options, async api => {
        const { data: delivery } = await api.get('/deliveries/{id}', { path: { id } })
        if (json) return printJson(delivery)
        print(deliveryTable([delivery]))
        print(
          delivery.attempts.length === 0
            ? noAttempts(delivery.status)
            : attemptTable(delivery.attempts),
        )
        const isWaiting = delivery.status === 'RETRYING'
        if (isWaiting || delivery.error !== null) {
          const isDeleted = (await findWebhook(api, delivery.webhook_id)) === undefined
          if (isWaiting) print(`Now: ${describeWait(delivery, isDeleted)}`)
          if (delivery.error !== null) print(`To do: ${adviseOnDelivery(delivery, isDeleted)}`)
        }
        if (delivery.response_body) print(`\nresponse body\n${cutBody(delivery.response_body)}`)
      }),
    )

const noAttempts = (status: string) =>
  status === 'RETRYING' ? 'No attempts yet.' : 'No attempts were recorded.'

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

/** Characters of a response body on a terminal. */
const BODY_SHOWN = 2_000

const cutBody = (body: string): string =>
  body.length <= BODY_SHOWN
    ? body
    : `${body.slice(0, BODY_SHOWN)}…\n(${BODY_SHOWN} of ${body.length} characters; --json has all)`

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

/** A time in the past would look as if an attempt had been left out: it waits for something, or is under way. */
const nextAttempt = ({ next_attempt_at }: Delivery): string =>
  next_attempt_at !== null && Date.parse(next_attempt_at) <= Date.now()
    ? 'due'
    : (next_attempt_at ?? '')

export const deliveryTable = (deliveries: readonly Delivery[]): string =>
  table([
    ['ID', 'STATUS', 'EVENT', 'WEBHOOK', 'ATTEMPTS', 'NEXT ATTEMPT', 'WHY', 'CREATED'],
    ...deliveries.map(one => [
      one.id,
      one.status,
      one.event,
      one.webhook_id,
      String(one.attempt_count),
      nextAttempt(one),
      one.error ?? (one.waits_for === null ? '' : `waits for ${one.waits_for}`),
      one.created_at,
    ]),
  ])
