// The program's own API client is the SDK. `@arden/sdk` is an alias (tsconfig.json, `paths`) of
// packages/sdk/src/index.ts, so commands use what users of the package use, and nothing internal to it.
import { type Arden, ArdenError, createArden, serverUrl } from '@arden/sdk'
import { Command, Option } from '@commander-js/extra-typings'
import { readConfig } from '../../config'
import { DETAILS_IN_MESSAGE, EXIT, StartError } from '../../errors'
import { modeOfValue } from '../../keys/value'
import { findRunningDev } from '../../local/data-dir'
import { EVENT_TYPES, type EventType } from '../../webhooks/events/types'
import { describeFetchError } from '../fetch-error'
import { describeUnusedProfiles, findProfile } from '../profiles'

/** Longest wait for a response, in ms: longer than the server takes for any request. */
const TIMEOUT_MS = 35_000

/** A command that calls the API with a key, from any machine. */
export const apiCommand = (name: string) =>
  new Command(name)
    .option('--key <key>', 'API key (ar_test_... or ar_live_...); default: ARDEN_API_KEY')
    .addOption(
      new Option(
        '--profile <name>',
        'profile of `arden login`; default: ARDEN_PROFILE, else the one in use',
      ).conflicts('key'),
    )
    .option(
      '--url <url>',
      'URL of the API; default: ARDEN_URL, else the running dev, else http://localhost:3000',
    )
    .option('--json', 'print JSON, for programs')

/** `keySource`: where the key is from, for messages. */
type Connection = { key: string; url: string; keySource: string }

/** The options of every command of `apiCommand`. */
export type ApiOptions = { key?: string; profile?: string; url?: string }

/**
 * Runs `fn` with a client of the API. It does not retry: the user sees at once what is wrong.
 * @throws {StartError} without a valid key and URL, and for every error of the API.
 */
export const withApi = async <T>(
  options: ApiOptions,
  fn: (api: Arden, connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await connectionOf(options)
  const { key: apiKey, url, keySource } = connection
  try {
    return await fn(createArden({ url, apiKey, retries: 0, timeoutMs: TIMEOUT_MS }), connection)
  } catch (error) {
    if (!(error instanceof ArdenError)) throw error
    throw error.code === 'UNAUTHORIZED'
      ? new StartError(
          `The API at ${withoutCredentials(url)} refuses the key of ${keySource}. ${describeRefusedKey(apiKey, error)} Or sign in with \`arden login\`.`,
          { exitCode: EXIT.refused },
        )
      : commandError(error, url)
  }
}

/** The API's own message about a mistyped key is about a header, which the user of a command does not send. */
export const describeRefusedKey = (key: string, { message }: ArdenError): string =>
  modeOfValue(key) === undefined
    ? 'This API key is incomplete or mistyped. Use another key.'
    : message

/**
 * An API key that is given, or else that of a profile, which is sent to the server of the profile only.
 * @throws {StartError} without a valid key and URL.
 */
export const connectionOf = async ({ key, profile, url }: ApiOptions): Promise<Connection> => {
  const { ARDEN_API_KEY, ARDEN_PROFILE } = process.env
  if (key === undefined && profile === undefined && ARDEN_API_KEY && ARDEN_PROFILE)
    throw new StartError(
      'ARDEN_API_KEY and ARDEN_PROFILE are both set, and can be keys of different modes. Unset one of them, or use --key or --profile.',
      { exitCode: EXIT.usage },
    )
  const given = key ?? (profile === undefined ? ARDEN_API_KEY : undefined)
  if (given)
    return {
      key: readKey(given),
      url: await findUrl(url),
      keySource: key ? '--key' : 'ARDEN_API_KEY',
    }
  const found = await findProfile(profile ?? (ARDEN_PROFILE || undefined))
  if (found === undefined)
    throw new StartError(
      (await describeUnusedProfiles()) ??
        'No API key is set. Sign in with `arden login`, or use --key or ARDEN_API_KEY. Create a key in the dashboard, or with: arden keys create --name me --mode test',
      { exitCode: EXIT.usage },
    )
  const other = url ?? process.env.ARDEN_URL
  if (other && readUrl(other) !== found.url)
    throw new StartError(
      `The profile "${found.name}" is for ${found.url}, and --url or ARDEN_URL is another server. Leave that out, or choose another profile with --profile.`,
      { exitCode: EXIT.usage },
    )
  return { key: readKey(found.key), url: found.url, keySource: `the profile "${found.name}"` }
}

/** Whether the text has the form of a key; the server knows the valid ones. */
export const isApiKey = (text: string): boolean => /^ar_(live|test)_\w+$/.test(text)

const readKey = (given: string): string => {
  // A secret that is read from a file often ends with a line break.
  const key = given.trim()
  if (!isApiKey(key))
    throw new StartError(
      'The value of --key, of ARDEN_API_KEY or of the profile is not an API key. A key starts with ar_live_ or ar_test_. Check that it was copied in full.',
      { exitCode: EXIT.usage },
    )
  return key
}

/**
 * Without a URL, that of the `dev` that runs on this data folder, which may have another port. The folder can be that of
 * a repository from anywhere, so a key is sent only to this machine.
 */
export const findUrl = async (option: string | undefined): Promise<string> => {
  const url = option ?? process.env.ARDEN_URL
  if (url) return readUrl(url)
  const dev = await findRunningDev(readConfig(process.env).dataDir)
  return dev !== undefined && LOOPBACK.has(URL.parse(dev.url)?.hostname ?? '')
    ? dev.url
    : 'http://localhost:3000'
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])

const readUrl = (url: string): string => {
  if (isHttpUrl(url)) return serverUrl(url)
  throw new StartError(
    `"${withoutCredentials(url)}" is not the URL of an API. Set --url or ARDEN_URL to a URL such as https://arden.example.com`,
    { exitCode: EXIT.usage },
  )
}

export const isHttpUrl = (text: string): boolean =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** The URL for messages: without the user and the password that it may contain. */
export const withoutCredentials = (text: string): string => {
  const url = URL.parse(text)
  // In a text that is not a URL, the end of a password cannot be found.
  if (url === null || !isHttpUrl(text)) return text.replace(/^.*@/s, '***@')
  if (url.username === '' && url.password === '') return text
  url.username = '***'
  url.password = ''
  return url.href
}

/** The event types of an option, with those of the same option before it. @throws {StartError} for an unknown type. */
export const readEventTypes = (text: string, before: readonly EventType[] = []): EventType[] => [
  ...new Set([...before, ...text.split(',').map(readEventType)]),
]

const readEventType = (text: string): EventType => {
  const name = text.trim()
  const type = EVENT_TYPES.find(one => one === name)
  if (type !== undefined) return type
  throw new StartError(
    `"${name}" is not an event type. The event types are: ${EVENT_TYPES.join(', ')}.`,
    { exitCode: EXIT.usage },
  )
}

/** An error of the API as the error of a command, with its exit code (docs/cli.md). */
export const commandError = (error: ArdenError, url: string) => {
  const { code, status, message, cause } = error
  if (status === undefined)
    return new StartError(
      `The API at ${withoutCredentials(url)} cannot be reached: ${cause === undefined ? message : describeFetchError(cause)}. Check that \`arden dev\` or \`arden serve\` runs there, and --url or ARDEN_URL.`,
      { exitCode: EXIT.unreachable },
    )
  // What a proxy responds with while Arden restarts, or does not respond to it.
  if (code === 'UNEXPECTED_RESPONSE' && exitCodeOf(status) === EXIT.unreachable)
    return new StartError(
      `The API at ${withoutCredentials(url)} is not available: a proxy responded with ${status}. Try again; if it stays, check that \`arden serve\` runs behind the proxy, and --url or ARDEN_URL.`,
      { exitCode: EXIT.unreachable },
    )
  if (code === 'UNEXPECTED_RESPONSE')
    return new StartError(
      `The server at ${new URL(url).origin} is not Arden (status ${status}), but a proxy or another server. Check --url or ARDEN_URL.`,
      { exitCode: exitCodeOf(status) },
    )
  return new StartError(messageOf(error), { exitCode: exitCodeOf(status) })
}

/** With every wrong member: the message of the API names the first ones only. */
export const messageOf = (error: ArdenError): string =>
  error.code === 'VALIDATION_ERROR' && error.details.length > DETAILS_IN_MESSAGE
    ? [
        'These values are wrong:',
        ...error.details.map(({ path, message }) => `${path}: ${message}`),
      ].join('\n  ')
    : error.message

const exitCodeOf = (status: number) => {
  // Also those of a proxy whose API is down.
  if (status >= 502 && status <= 504) return EXIT.unreachable
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.failed
}
