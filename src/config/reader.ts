import ipaddr from 'ipaddr.js'
import { StartError } from '../errors'

/** The environment without empty values and white space around them: `NAME=` in a shell or a compose file means "not set". */
export type Env = Record<string, string | undefined>

/** An invalid setting. `names` are the settings to remove to continue without it. */
export class SettingError extends StartError {
  constructor(
    message: string,
    readonly names: readonly string[],
  ) {
    super(message)
  }
}

export type SettingReader<Name extends string> = ReturnType<typeof createSettingReader<Name>>

/**
 * Reads settings from `env` by type. `takes` describes the allowed values of each for error messages. A
 * setting that is not set is undefined, or the default.
 * @throws {SettingError} naming the invalid setting.
 */
export const createSettingReader = <Name extends string>(env: Env, takes: Record<Name, string>) => {
  const settingError = (name: Name, what: string, names: readonly Name[] = [name]) =>
    new SettingError(`${name} ${what}. Expected: ${takes[name]}`, names)

  const text = (name: Name): string | undefined => env[name]

  const integer = (name: Name, fallback: number, min: number, max: number): number => {
    const given = text(name)
    if (given === undefined) return fallback
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(value >= min && value <= max))
      throw settingError(name, `is "${given}", which is not a whole number from ${min} to ${max}`)
    return value
  }

  /** The first of `allowed` is the default. */
  const oneOf = <T extends string>(name: Name, allowed: readonly [T, ...T[]]): T => {
    const given = text(name)
    if (given === undefined) return allowed[0]
    const found = allowed.find(value => value === given)
    if (found === undefined)
      throw settingError(name, `is "${given}", which is none of ${allowed.join(', ')}`)
    return found
  }

  const flag = (name: Name): boolean => oneOf(name, ['0', '1']) === '1'

  /** A URL can contain a password or a token: the message must not show it. */
  const url = (name: Name, protocols: readonly string[] = ['http:', 'https:']) => {
    const given = text(name)
    if (given === undefined) return undefined
    if (!URL.canParse(given) || !protocols.includes(new URL(given).protocol))
      throw settingError(name, `is not a ${protocols.join('// or ')}// URL`)
    return given
  }

  /** The origin of a URL that has nothing else. */
  const origin = (name: Name): string | undefined => {
    const given = url(name)
    if (given === undefined) return undefined
    const { origin, href } = new URL(given)
    if (href !== `${origin}/`)
      throw settingError(
        name,
        'has more than a scheme, a host and a port: Arden serves no path below another',
      )
    return origin
  }

  /** host:port; an IPv6 address is in brackets. */
  const address = (name: Name): string | undefined => {
    const given = text(name)
    if (given !== undefined && !/^([^\s:/]+|\[[0-9a-f:]+\]):\d{1,5}$/i.test(given))
      throw settingError(name, `is "${given}", which is not host:port`)
    return given
  }

  /** Addresses and CIDR ranges, comma-separated. */
  const ranges = (name: Name): string[] => {
    const items = (text(name) ?? '')
      .split(',')
      .map(item => item.trim())
      .filter(Boolean)
    const bad = items.find(item => !ipaddr.isValid(item) && !ipaddr.isValidCIDR(item))
    if (bad !== undefined)
      throw settingError(name, `has "${bad}", which is neither an address nor a CIDR range`)
    return items
  }

  return { env, settingError, text, integer, oneOf, flag, url, origin, address, ranges }
}
