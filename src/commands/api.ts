import { Command } from '@commander-js/extra-typings'
import { type Api, createApi, withoutCredentials } from '../client/api'
import { EXIT, StartError } from '../errors'
import { EVENT_TYPES } from '../webhooks/events/types'

/** A command that asks the API, with a key, from wherever it is. */
export const apiCommand = (name: string) =>
  new Command(name)
    .option('--key <key>', 'API key (ar_test_... or ar_live_...); else ARDEN_API_KEY')
    .option('--url <url>', 'where Arden answers; else ARDEN_URL, else http://localhost:3000')
    .option('--json', 'print JSON, for programs')

/** @throws {StartError} without a key, or with a key or a URL that is none. */
export const apiOf = ({ key, url }: { key?: string; url?: string }): Api => {
  const value = key ?? process.env.ARDEN_API_KEY
  if (!value)
    throw new StartError(
      'There is no API key. Give --key, or set ARDEN_API_KEY. One is made in the dashboard, or by: arden keys create --name me --mode test',
      { exitCode: EXIT.usage },
    )
  if (!/^ar_(live|test)_\w+$/.test(value))
    throw new StartError(
      'What --key or ARDEN_API_KEY gives is no API key: one begins with ar_live_ or ar_test_, and has letters and digits alone. Check that it was copied whole.',
      { exitCode: EXIT.usage },
    )
  const where = url ?? (process.env.ARDEN_URL || 'http://localhost:3000')
  if (!/^https?:$/.test(URL.parse(where)?.protocol ?? ''))
    throw new StartError(
      `"${withoutCredentials(where)}" is no address of an API. Give --url or ARDEN_URL such as https://arden.example.com`,
      { exitCode: EXIT.usage },
    )
  return createApi(where, value)
}

/** Undefined for all. @throws {StartError} for a type that is none. */
export const eventTypes = (text: string | undefined): string | undefined => {
  const names = text?.split(',').map(name => name.trim())
  const unknown = names?.find(name => !EVENT_TYPES.some(type => type === name))
  if (unknown !== undefined)
    throw new StartError(`"${unknown}" is no event type. There are: ${EVENT_TYPES.join(', ')}.`, {
      exitCode: EXIT.usage,
    })
  return names?.join(',')
}

/** Aborts at Ctrl-C, at SIGTERM and when the terminal closes: a command that follows something then ends well. */
export const untilSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => controller.abort())
  return controller.signal
}
