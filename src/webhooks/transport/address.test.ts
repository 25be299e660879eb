import { describe, expect, test } from 'bun:test'
import { settled } from '../../../test/support/settled'
import {
  type EndpointUrl,
  LONGEST,
  MALFORMED,
  NOT_PUBLIC,
  PUBLIC,
} from '../../../test/support/webhooks/endpoint-urls'
import { DomainError } from '../../errors'
import { AddressError, checkWebhookUrl, parseWebhookUrl, resolveAddress } from './address'
import type { Address, Lookup } from './dns'

const STRICT = { allowPrivate: false }
const DEVELOPMENT = { allowPrivate: true }
const WAITING = new AbortController()

/** Without the address, which a name server of the installation may have returned. */
const NAME_NOT_PUBLIC = 'the name has an address that is not public'

const family = (address: string) => (address.includes(':') ? 6 : 4)
const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map(address => ({ address, family: family(address) }))

/** The address to connect to, or the error message. */
const outcome = async (
  text: string,
  rules = STRICT,
  lookup: Lookup = resolvesTo('93.184.215.14'),
): Promise<string> => {
  try {
    return (await resolveAddress(parseWebhookUrl(text, rules), rules, WAITING, lookup)).address
  } catch (error) {
    if (error instanceof DomainError || error instanceof AddressError) return error.message
    throw error
  }
}

const outcomes = (rows: EndpointUrl[], rules = STRICT): Promise<EndpointUrl[]> =>
  Promise.all(rows.map(async ([url]): Promise<EndpointUrl> => [url, await outcome(url, rules)]))

describe('contract 4.3: every resolved address must be public', () => {
  test('the corpus has at least 150 URLs', () => {
    expect(NOT_PUBLIC.length + PUBLIC.length + MALFORMED.length).toBeGreaterThanOrEqual(150)
  })

  test('refuses every spelling of a URL whose host is not public', async () => {
    expect(await outcomes(NOT_PUBLIC)).toEqual(
      NOT_PUBLIC.map(([url, address]) => [url, `address ${address} is not public`]),
    )
  })

  test('accepts a URL of a public host and returns its address', async () => {
    expect(await outcomes(PUBLIC)).toEqual(PUBLIC)
  })

  test('refuses a URL whose text breaks a rule, and names the rule', async () => {
    for (const [url, rule] of MALFORMED) expect(await outcome(url)).toContain(rule)
  })

  test('accepts a URL of exactly 2,048 characters', async () => {
    expect(LONGEST).toHaveLength(2048)
    expect(await outcome(LONGEST)).toBe('93.184.215.14')
  })

  test('refuses a name that has a private address among public ones', async () => {
    for (const [, address] of NOT_PUBLIC) {
      const lookup = resolvesTo('93.184.215.14', address, '2606:4700:4700::1111')
      expect(await outcome('https://hooks.example/', STRICT, lookup)).toBe(NAME_NOT_PUBLIC)
    }
  })

  test('refuses an IPv6 address with a zone, as a resolver can return it', async () => {
    const lookup = resolvesTo('fe80::1%eth0')
    expect(await outcome('https://hooks.example/', STRICT, lookup)).toBe(NAME_NOT_PUBLIC)
  })

  test('a name with more than 64 addresses is refused, whatever they are', async () => {
    const many = Array.from({ length: 65 }, (_, n) => `93.184.215.${n + 1}`)
    const few = resolvesTo(...many.slice(1))
    expect(await outcome('https://hooks.example/', STRICT, few)).toBe('93.184.215.2')
    expect(await outcome('https://hooks.example/', STRICT, resolvesTo(...many))).toBe(
      'the name has more than 64 addresses',
    )
  })

  test('refuses localhost in every spelling, by its addresses', async () => {
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost'])
      expect(await outcome(`https://${host}/`, STRICT, resolvesTo('127.0.0.1', '::1'))).toBe(
        NAME_NOT_PUBLIC,
      )
  })

  test('refuses a name without an address', async () => {
    const fails: Lookup = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    expect(await outcome('https://hooks.example/', STRICT, fails)).toBe('the name does not resolve')
    expect(await outcome('https://hooks.example/', STRICT, resolvesTo())).toBe(
      'the name does not resolve',
    )
  })

  test('uses the real resolver by default', async () => {
    const refused = resolveAddress(parseWebhookUrl('https://localhost/', STRICT), STRICT, WAITING)
    expect(await settled(refused)).toThrow(NAME_NOT_PUBLIC)
  })

  test('resolves a name as fully qualified, so that no search list or hosts file completes it', async () => {
    const names: string[] = []
    const lookup: Lookup = name => {
      names.push(name)
      return resolvesTo('93.184.215.14')(name)
    }
    for (const host of ['db', 'hooks.example', 'hooks.example.'])
      await outcome(`https://${host}/`, STRICT, lookup)
    await outcome('https://db/', DEVELOPMENT, lookup)
    expect(names).toEqual(['db.', 'hooks.example.', 'hooks.example.', 'db'])
  })

  test('resolves a name once and returns the address it checked (DNS rebinding)', async () => {
    const turns = [['93.184.215.14'], ['169.254.169.254'], ['93.184.215.15']]
    let lookups = 0
    const rebinding: Lookup = name => resolvesTo(...(turns[lookups++] ?? []))(name)
    const url = parseWebhookUrl('https://rebind.example/', STRICT)

    expect(await resolveAddress(url, STRICT, WAITING, rebinding)).toEqual<Address>({
      address: '93.184.215.14',
      family: 4,
    })
    expect(lookups).toBe(1)
    expect(await settled(resolveAddress(url, STRICT, WAITING, rebinding))).toThrow(
      new AddressError(NAME_NOT_PUBLIC),
    )
    expect((await resolveAddress(url, STRICT, WAITING, rebinding)).address).toBe('93.184.215.15')
  })

  test('returns the first address of the resolver', async () => {
    const lookup = resolvesTo('2606:4700:4700::1111', '1.1.1.1')
    expect(await outcome('https://hooks.example/', STRICT, lookup)).toBe('2606:4700:4700::1111')
  })

  test('refuses a stored http URL after http is no longer permitted', async () => {
    expect(await settled(resolveAddress(new URL('http://1.1.1.1/'), STRICT, WAITING))).toThrow(
      'only https is permitted',
    )
  })

  test('reports a refused address as a 422 on url with the next step', async () => {
    expect(await checkWebhookUrl('https://10.0.0.1/', STRICT).catch(error => error)).toMatchObject({
      code: 'VALIDATION_ERROR',
      message:
        'url: address 10.0.0.1 is not public. Use a URL that is reachable from the public internet.',
      details: [{ path: 'url' }],
    })
    await checkWebhookUrl('https://1.1.1.1/', STRICT)
  })
})

describe('contract 4.3: ARDEN_ALLOW_PRIVATE_WEBHOOKS permits http and private addresses', () => {
  test('permits every address, over http and https', async () => {
    expect(await outcomes(NOT_PUBLIC, DEVELOPMENT)).toEqual(NOT_PUBLIC)
    const http = NOT_PUBLIC.map(
      ([url, address]): EndpointUrl => [url.replace(/^https/i, 'http'), address],
    )
    expect(await outcomes(http, DEVELOPMENT)).toEqual(http)
  })

  test('asks for a URL that this machine reaches', async () => {
    const refused = checkWebhookUrl('http://x.internal/', DEVELOPMENT, resolvesTo())
    expect(await refused.catch(error => error)).toMatchObject({
      message: 'url: the name does not resolve. Use a URL that is reachable from where Arden runs.',
    })
  })

  test('still refuses credentials, fragments, backslashes and text that is not a URL', async () => {
    for (const [url, rule] of MALFORMED.filter(([, rule]) => rule !== 'must start with https://'))
      expect(await outcome(url, DEVELOPMENT)).toContain(rule)
  })

  test('still refuses other schemes', async () => {
    expect(await outcome('ftp://10.0.0.1/', DEVELOPMENT)).toContain('https:// or http://')
  })
})
