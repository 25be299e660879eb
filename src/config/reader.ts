import ipaddr from 'ipaddr.js'
import { StartError } from '../errors'

/** The environment, without what is empty: `NAME=` in a shell or a compose file means "not set". */
export type Env = Record<string, string | undefined>

/** A setting that is wrong; `names` are those to leave out to go on without it. */
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
 * Reads settings of `env` by the kind of their value. `takes` says of each what it takes: the second half of
 * every message. What is not set is undefined, or the default.
 * @throws {SettingError} naming the setting that is wrong.
 */
export const createSettingReader = <Name extends string>(env: Env, takes: Record<Name, string>) => {
  const wrong = (name: Name, what: string, names: readonly Name[] = [name]) =>
    new SettingError(`${name} ${what}. It takes: ${takes[name]}`, names)

  const text = (name: Name): string | undefined => env[name]

  const integer = (name: Name, fallback: number, min: number, max: number): number => {
    const given = text(name)
    if (given === undefined) return fallback
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(value >= min && value <= max))
      throw wrong(name, `is "${given}", which is not a whole number from ${min} to ${max}`)
    return value
  }

  /** The first of `allowed` is the default. */
  const oneOf = <T extends string>(name: Name, allowed: readonly [T, ...T[]]): T => {
    const given = text(name)
    if (given === undefined) return allowed[0]
    const found = allowed.find(value => value === given)
    if (found === undefined)
      throw wrong(name, `is "${given}", which is none of ${allowed.join(', ')}`)
    return found
  }

  const flag = (name: Name): boolean => oneOf(name, ['0', '1']) === '1'

  /** A URL may hold a password or a token: the message must not show it. */
  const url = (name: Name, protocols: readonly string[] = ['http:', 'https:']) => {
    const given = text(name)
    if (given === undefined) return undefined
    if (!URL.canParse(given) || !protocols.includes(new URL(given).protocol))
      throw wrong(name, `is not a ${protocols.join('// or ')}// URL`)
    return given
  }

  /** host:port, with an IPv6 address in brackets. */
  const address = (name: Name): string | undefined => {
    const given = text(name)
    if (given !== undefined && !/^([^\s:/]+|\[[0-9a-f:]+\]):\d{1,5}$/i.test(given))
      throw wrong(name, `is "${given}", which is no host:port`)
    return given
  }

  /** Addresses and CIDR ranges, comma-separated. */
  const ranges = (name: Name): string[] => {
    const items = (text(name) ?? '')
      .split(',')
      .map(item => item.trim())
      .filter(Boolean)
    const bad = items.find(item => !ipaddr.isValid(item) && !ipaddr.isValidCIDR(item))
    if (bad !== undefined) throw wrong(name, `has "${bad}", which is no address and no CIDR range`)
    return items
  }

  return { env, wrong, text, integer, oneOf, flag, url, address, ranges }
}
