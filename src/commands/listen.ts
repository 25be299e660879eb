import { type Api, withoutCredentials } from '../client/api'
import { type Followed, follow } from '../client/follow'
import { type Forwarded, forward } from '../client/forward'
import { EXIT, StartError } from '../errors'
import { GAP, type Gap } from '../webhooks/event-stream/gap'
import { newSecret } from '../webhooks/signing/secret'
import { apiCommand, apiOf, eventTypes, untilSignal } from './api'
import { eventLine, styled } from './event-line'
import { print, printJson } from './print'

const EVENTS_OPTION = [
  '--events <types>',
  'only these, separated by commas, such as article.published,article.deleted',
] as const

export const listenCommand = () =>
  apiCommand('listen')
    .description(
      'Show events as they happen, and forward each to an address here, signed as a delivery: no public URL is needed.',
    )
    .option('--forward-to <url>', 'where to POST each event, such as http://localhost:4000/hook')
    .option(...EVENTS_OPTION)
    .option('--secret <secret>', 'what to sign with; else one for this session, shown at the start')
    .addHelpText(
      'after',
      '\nExamples:\n  arden listen --key ar_test_... --forward-to http://localhost:4000/hook\n  arden trigger article.published --key ar_test_...',
    )
    .action(async ({ forwardTo, events, secret, json, ...options }) => {
      const signal = untilSignal()
      const types = eventTypes(events)
      const api = apiOf(options)
      if (forwardTo === undefined) return showEvents(api, types, json, signal)
      if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
        throw new StartError(
          `"${withoutCredentials(forwardTo)}" is no address to forward to. Give one such as http://localhost:4000/hook`,
          { exitCode: EXIT.usage },
        )
      if (secret !== undefined && !/^[0-9a-f]{64}$/.test(secret))
        throw new StartError(
          'What --secret gives is no secret of a webhook: these are 64 hexadecimal characters. Leave it out to have one made.',
          { exitCode: EXIT.usage },
        )
      const key = secret ?? newSecret()
      const signing = `Signing with the secret ${key}`
      // One that was given is known, and may be that of a webhook.
      if (secret === undefined) json ? tell('dim', signing) : print(signing)
      await showEvents(api, types, json, signal, one => forward(forwardTo, one, key, signal))
    })

/** The same without forwarding. */
export const tailCommand = () =>
  apiCommand('tail')
    .description('Show events as they happen, until Ctrl-C.')
    .option(...EVENTS_OPTION)
    .action(({ events, json, ...options }) =>
      showEvents(apiOf(options), eventTypes(events), json, untilSignal()),
    )

/** What is not a result goes to stderr, so that stdout is JSON alone. */
const tell = (style: 'dim' | 'yellow', text: string) => {
  process.stderr.write(`${styled(style, text, process.stderr)}\n`)
}

const showEvents = async (
  api: Api,
  events: string | undefined,
  json: true | undefined,
  signal: AbortSignal,
  pass?: (one: Followed) => Promise<Forwarded>,
) => {
  const opened = () => tell('dim', `Waiting for events of ${api.url}. Ctrl-C ends it.`)
  const lost = (why: string, ms: number) =>
    tell('yellow', `The connection was lost (${why}); next try in ${ms / 1000} s.`)
  const missed = (gap: Gap) => {
    tell('yellow', gap.message)
    if (json) printJson({ event: GAP, ...gap })
  }
  for await (const one of follow(api, { events, signal, opened, lost, missed })) {
    if (!json) print(eventLine(one.envelope))
    const forwarded = await pass?.(one)
    // What Ctrl-C has cut short is no answer of the receiver's.
    if (signal.aborted) return
    if (json) printJson(forwarded ? { ...one.envelope, forwarded } : one.envelope)
    else if (forwarded) print(answerLine(forwarded))
  }
}

const answerLine = ({ status, error, ms }: Forwarded): string => {
  if (status === null) return `          ${styled('red', `not answered: ${error}`)} (${ms} ms)`
  const good = status >= 200 && status < 300
  return `          ${styled(good ? 'green' : 'red', `answered ${status}`)} in ${ms} ms`
}
