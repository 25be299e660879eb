import { setTimeout as sleep } from 'node:timers/promises'
import { Argument } from '@commander-js/extra-typings'
import type { Api } from '../client/api'
import { makeHappen } from '../client/make-happen'
import { EXIT, StartError } from '../errors'
import type { Event } from '../webhooks/event-log/schema'
import { EVENT_TYPES, type EventType } from '../webhooks/events/types'
import { apiCommand, apiOf } from './api'
import { eventLine } from './event-line'
import { print, printJson } from './print'

/** How long what was made to happen may take, in ms: a generation waits for a worker. */
const PATIENCE_MS = 30_000
const LOOK_MS = 300

export const triggerCommand = () =>
  apiCommand('trigger')
    .description('Make an event really happen, in test mode: records are made, changed, deleted.')
    .addArgument(new Argument('<event>', 'its type').choices(EVENT_TYPES))
    .addHelpText('after', '\nExample:\n  arden trigger article.published --key ar_test_...')
    .action(async (type, { json, ...options }) => {
      const api = apiOf(options)
      if (!api.key.startsWith('ar_test_'))
        throw new StartError(
          'This makes records only to see what happens then, so it takes a test key (ar_test_...).',
          { exitCode: EXIT.usage },
        )
      const about = await makeHappen(api, type)
      const happened = await found(api, type, about)
      if (json) printJson(happened)
      else print(eventLine(happened))
    })

/** The event of the type about a record. @throws {StartError} when it does not come. */
const found = async (api: Api, type: EventType, about: string): Promise<Event> => {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const { data } = await api.call<{ data: Event[] }>('GET', '/events?limit=100')
    const event = data.find(one => one.event === type && Object.values(one.data).includes(about))
    if (event !== undefined) return event
    await sleep(LOOK_MS)
  }
  const why = type.startsWith('generation.')
    ? 'A worker makes generations: is one running (`arden doctor`)?'
    : 'See what happens with: arden events tail'
  throw new StartError(`${type} of ${about} did not happen within ${PATIENCE_MS / 1000} s. ${why}`)
}
