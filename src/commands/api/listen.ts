import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import {
  type Arden,
  ArdenError,
  type EventType,
  type StreamedEvent,
  type StreamGap,
} from '@arden/sdk'
import { EXIT, StartError } from '../../errors'
import { readSecret, showSecret } from '../../webhooks/signing/secret'
import { describeFetchError } from '../fetch-error'
import { joinLine, print, printJson, printNote, type StyledText, styled } from '../print'
import { modeOfKey } from '../profiles'
import {
  apiCommand,
  commandError,
  isHttpUrl,
  readEventTypes,
  withApi,
  withoutCredentials,
} from './connection'
import { eventLine } from './event-line'
import { type ForwardResult, forward, forwardUrl } from './forward'

/**
 * Longest wait of an event for the response to the one before it, in ms: a receiver that stops at a breakpoint delays
 * no other event, and one that responds gets them in order.
 */
const NEXT_AFTER_MS = 1_000

const EVENTS_OPTION = [
  '--events <types>',
  'only these event types, separated by commas, such as article.published,article.deleted',
  readEventTypes,
] as const

export const listenCommand = () =>
  apiCommand('listen')
    .description(
      'Show events as they happen, and forward each to a local URL, signed as a delivery. Needs no public URL.',
    )
    .option(
      '--forward-to <url>',
      'where to POST each event, such as localhost:4000/hook, or the port',
    )
    .option(...EVENTS_OPTION)
    .option(
      '--secret <secret>',
      'signing secret, in either form; default: one that stays the same for the API key, printed at the start',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  arden listen --key ar_test_... --forward-to http://localhost:4000/hook\n  arden trigger article.published --key ar_test_...',
    )
    .action(({ forwardTo, events, secret, json, ...options }) => {
      return withApi(options, async (api, { key, url }) => {
        const show = { api, url, key, types: events, json, signal: untilSignal() }
        if (forwardTo === undefined && secret !== undefined)
          throw new StartError(
            '--secret signs what is forwarded, and nothing is. Add --forward-to with a URL, such as http://localhost:4000/hook, or leave --secret out.',
            { exitCode: EXIT.usage },
          )
        if (forwardTo === undefined) return showEvents(show)
        const target = forwardUrl(forwardTo)
        if (!isHttpUrl(target))
          throw new StartError(
            `"${withoutCredentials(forwardTo)}" is not a URL to forward to. Use one such as http://localhost:4000/hook`,
            { exitCode: EXIT.usage },
          )
        const signingSecret = secret === undefined ? secretOfKey(key) : readSecret(secret)
        if (signingSecret === undefined)
          throw new StartError(
            'The value of --secret is not a webhook secret: a secret has 64 hexadecimal characters, or is whsec_ and their Base64. Check that it was copied completely, or leave the option out to use that of the API key.',
            { exitCode: EXIT.usage },
          )
        const { standard_webhooks_secret } = showSecret(signingSecret)
        const note = `Signing with the secret ${signingSecret}\nFor libraries of Standard Webhooks it is ${standard_webhooks_secret}`
        // A secret of the user is known, and may be that of a webhook: it is not printed.
        if (secret === undefined) json ? printNote('dim', note) : print(note)
        await showEvents({
          ...show,
          forwardEvent: one => forward(target, one, signingSecret, show.signal),
        })
      })
    })

/** The same each time, so that the program that is forwarded to keeps its secret. The key cannot be computed from it. */
const secretOfKey = (key: string): string =>
  createHmac('sha256', key).update('arden listen').digest('hex')

/** `listen` without forwarding. */
export const tailCommand = () =>
  apiCommand('tail')
    .description('Show events as they happen, until Ctrl-C.')
    .option(...EVENTS_OPTION)
    .action(({ events, json, ...options }) =>
      withApi(options, (api, { url, key }) =>
        showEvents({ api, url, key, types: events, json, signal: untilSignal() }),
      ),
    )

/** Aborts at Ctrl-C, at SIGTERM and when the terminal closes, so that the command ends with exit code 0. */
const untilSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => controller.abort())
  return controller.signal
}

type ShowOptions = {
  api: Arden
  url: string
  key: string
  types: EventType[] | undefined
  json: true | undefined
  signal: AbortSignal
  forwardEvent?: ForwardEvent
}

type ForwardEvent = (one: StreamedEvent) => Promise<ForwardResult>

const showEvents = async ({ api, url, key, types, json, signal, forwardEvent }: ShowOptions) => {
  const stream = api.stream({
    ...(types && { events: types }),
    signal,
    onOpen: () =>
      printNote(
        'dim',
        `Waiting for events of ${withoutCredentials(url)} in ${modeOfKey(key)} mode. Ctrl-C ends it.`,
      ),
    onDisconnect: (reason, delayMs, error) =>
      printNote(
        'yellow',
        `The connection was lost: ${describeLoss(reason, error, url)} Next try in ${delayMs / 1000} s.`,
      ),
    onGap: (gap: StreamGap) => {
      printNote('yellow', gap.message)
      if (json) printJson({ event: 'gap', ...gap })
    },
  })
  let lastLineIsOf = ''
  const showResponse = async (one: StreamedEvent, forwardTo: ForwardEvent) => {
    const forwarded = await forwardTo(one)
    // A request that Ctrl-C cut short has no response to show.
    if (signal.aborted) return
    const { id } = one.event
    if (json) printJson({ ...one.event, forwarded })
    else print(responseLine(forwarded, id === lastLineIsOf ? '' : `to ${id}`))
    lastLineIsOf = ''
  }
  const inFlight = new Set<Promise<void>>()
  for await (const one of stream) {
    if (!json) print(eventLine(one.event))
    else if (!forwardEvent) printJson(one.event)
    lastLineIsOf = one.event.id
    if (!forwardEvent) continue
    const forwarding = showResponse(one, forwardEvent).finally(() => inFlight.delete(forwarding))
    inFlight.add(forwarding)
    await Promise.race([forwarding, setTimeout(NEXT_AFTER_MS, undefined, { ref: false })])
    if (signal.aborted) break
  }
  await Promise.all(inFlight)
}

const describeLoss = (reason: string, error: unknown, url: string): string => {
  if (error === undefined) return `${reason}.`
  return error instanceof ArdenError
    ? commandError(error, url).message
    : `${describeFetchError(error)}.`
}

/** `event` names the event where the line does not follow it. */
const responseLine = ({ status, error, ms }: ForwardResult, event: string): StyledText => {
  const isSuccess = status !== null && status >= 200 && status < 300
  const result = status === null ? `no response: ${error}` : `responded with ${status}`
  const duration = status === null ? `(${ms} ms)` : `in ${ms} ms`
  const parts = [' '.repeat(9), styled(isSuccess ? 'green' : 'red', result), duration]
  return joinLine(event === '' ? parts : [...parts, styled('dim', event)], ' ')
}
