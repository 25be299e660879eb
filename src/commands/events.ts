import { Command } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../errors'
import type { Delivery } from '../webhooks/deliveries/schema'
import type { EventDetail } from '../webhooks/event-log/schema'
import { apiCommand, apiOf } from './api'
import { deliveryTable } from './deliveries'
import { tailCommand } from './listen'
import { print, printJson } from './print'

export const eventsCommand = () =>
  new Command('events')
    .description('Events: tail, show, redeliver.')
    .addCommand(tailCommand())
    .addCommand(showCommand())
    .addCommand(redeliverCommand())

const ID = ['<id>', 'id of the event (evt_...)'] as const

const showCommand = () =>
  apiCommand('show')
    .description('Show an event, its data and its deliveries.')
    .argument(...ID)
    .action(async (id, { json, ...options }) => {
      const { data: event } = await apiOf(options).call<{ data: EventDetail }>('GET', pathOf(id))
      if (json) return printJson(event)
      print(`${event.event}  ${event.id}  ${event.created_at}${event.test ? '  (sample)' : ''}`)
      print(JSON.stringify(event.data, null, 2))
      print(
        event.deliveries.length === 0
          ? 'No webhook subscribed to it.'
          : deliveryTable(event.deliveries),
      )
    })

const redeliverCommand = () =>
  apiCommand('redeliver')
    .description('Send an event again, to each webhook it went to or to one of them.')
    .argument(...ID)
    .option('--webhook <id>', 'only to this one (wh_...)')
    .action(async (id, { webhook, json, ...options }) => {
      const api = apiOf(options)
      const { data: event } = await api.call<{ data: EventDetail }>('GET', pathOf(id))
      const chosen = event.deliveries.filter(
        one => webhook === undefined || one.webhook_id === webhook,
      )
      if (chosen.length === 0)
        throw new StartError(
          `The event ${id} has no delivery${webhook === undefined ? '' : ` to ${webhook}`}. \`arden events show ${id}\` lists them.`,
          { exitCode: EXIT.refused },
        )
      const again: Delivery[] = []
      const refused: string[] = []
      for (const one of chosen)
        try {
          const path = `/webhooks/${one.webhook_id}/deliveries/${one.id}/redeliver`
          const { data } = await api.call<{ data: Delivery }>('POST', path)
          again.push(data)
          if (!json) print(`Sending ${one.id} to ${one.webhook_id} again.`)
        } catch (error) {
          // One webhook that was deleted or disabled keeps it from no other.
          if (!(error instanceof StartError) || error.exitCode !== EXIT.refused) throw error
          refused.push(error.message)
        }
      if (json) printJson(again)
      if (refused.length > 0)
        throw new StartError(
          `${refused.length} of ${chosen.length} deliveries are not sent again. ${refused.join(' ')}`,
          { exitCode: EXIT.refused },
        )
    })

const pathOf = (id: string) => `/events/${encodeURIComponent(id)}`
