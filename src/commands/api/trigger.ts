import { setTimeout as sleep } from 'node:timers/promises'
import type { Arden, Event, EventType } from '@arden/sdk'
import { Argument } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { EVENT_TYPES } from '../../webhooks/events/types'
import { print, printJson } from '../print'
import { modeOfKey } from '../profiles'
import { apiCommand, withApi } from './connection'
import { eventLine } from './event-line'
import { triggerEvent } from './trigger-event'

/** Longest wait for the event, in ms: a generation waits for a worker. */
const TIMEOUT_MS = 30_000
const POLL_MS = 300

export const triggerCommand = () =>
  apiCommand('trigger')
    .description('Trigger an event in test mode, by creating, changing or deleting real records.')
    .addArgument(new Argument('<event>', 'event type').choices(EVENT_TYPES))
    .addHelpText('after', '\nExample:\n  arden trigger article.published --key ar_test_...')
    .action((type, { json, ...options }) =>
      withApi(options, async (api, { key }) => {
        if (modeOfKey(key) !== 'test')
          throw new StartError(
            'This command creates records to trigger the event, so it requires a test key (ar_test_...).',
            { exitCode: EXIT.usage },
          )
        const recordId = await triggerEvent(api, type)
        const event = await waitForEvent(api, type, recordId)
        if (json) printJson(event)
        else print(eventLine(event))
      }),
    )

/** The event of the type about a record. @throws {StartError} when it does not happen in time. */
const waitForEvent = async (api: Arden, type: EventType, recordId: string): Promise<Event> => {
  const deadline = performance.now() + TIMEOUT_MS
  while (performance.now() < deadline) {
    const { data } = await api.get('/events', { query: { limit: 100 } })
    const event = data.find(
      one => one.event === type && Object.values(one.data).some(value => value === recordId),
    )
    if (event !== undefined) return event
    await sleep(POLL_MS)
  }
  throw new StartError(
    `Timed out after ${TIMEOUT_MS / 1000} s waiting for ${type} of ${recordId}. ${
      type.startsWith('generation.')
        ? 'A worker runs generations: check with `arden doctor` that one is running.'
        : 'Watch the events with: arden events tail'
    }`,
  )
}
