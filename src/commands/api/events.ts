import { ArdenError, type Delivery } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { idArgument, readId } from '../ids'
import { print, printJson } from '../print'
import { apiCommand, commandError, withApi } from './connection'
import { deliveryTable } from './deliveries'
import { tailCommand } from './listen'

export const eventsCommand = () =>
  new Command('events')
    .description('Events: tail, show, redeliver.')
    .addCommand(tailCommand())
    .addCommand(showCommand())
    .addCommand(redeliverCommand())

const ID = idArgument(['event', 'evt'])

const showCommand = () =>
  apiCommand('show')
    .description('Show an event, its data and its deliveries.')
    .argument(...ID)
    .action((id, { json, ...options }) =>
      withApi(options, async api => {
        const { data: event } = await api.get('/events/{id}', { path: { id } })
        if (json) return printJson(event)
        print(`${event.event}  ${event.id}  ${event.created_at}${event.test ? '  (sample)' : ''}`)
        print(JSON.stringify(event.data, null, 2))
        print(
          event.deliveries.length === 0
            ? 'No webhook subscribed to it.'
            : deliveryTable(event.deliveries),
        )
      }),
    )

const redeliverCommand = () =>
  apiCommand('redeliver')
    .description('Send an event again, to all webhooks it was sent to or to one of them.')
    .argument(...ID)
    .option('--webhook <id>', 'only to this webhook (wh_...)', readId('wh'))
    .action((id, { webhook, json, ...options }) =>
      withApi(options, async (api, { url }) => {
        const { data: event } = await api.get('/events/{id}', { path: { id } })
        const chosen = event.deliveries.filter(
          one => webhook === undefined || one.webhook_id === webhook,
        )
        if (chosen.length === 0)
          throw new StartError(
            `The event ${id} has no delivery${webhook === undefined ? '' : ` to ${webhook}`}. \`arden events show ${id}\` lists its deliveries.`,
            { exitCode: EXIT.refused },
          )
        const redelivered: Delivery[] = []
        const refused: string[] = []
        for (const one of chosen)
          try {
            const path = { id: one.webhook_id, delivery_id: one.id }
            const { data } = await api.post('/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
              path,
            })
            redelivered.push(data)
            if (!json) print(`Sending ${one.id} to ${one.webhook_id} again.`)
          } catch (error) {
            if (!(error instanceof ArdenError)) throw error
            // A webhook that was deleted or disabled must not prevent the redelivery to the others.
            const failure = commandError(error, url)
            if (failure.exitCode !== EXIT.refused) throw failure
            refused.push(failure.message)
          }
        if (json) printJson(redelivered)
        if (refused.length > 0)
          throw new StartError(
            `${refused.length} of ${chosen.length} deliveries are not sent again. ${refused.join(' ')}`,
            { exitCode: EXIT.refused },
          )
      }),
    )
