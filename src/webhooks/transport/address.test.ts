import { describe, expect, test } from 'bun:test'
import {
  type EndpointUrl,
  LONGEST,
  MALFORMED,
  NOT_PUBLIC,
  PUBLIC,
} from '../../../test/support/endpoint-urls'
import { DomainError } from '../../errors'
import { AddressError, checkUrl, checkWebhookUrl, resolveAddress } from './address'
import type { Address, Lookup } from './dns'

const STRICT = { allowPrivate: false }
const DEVELOPMENT = { allowPrivate: true }
const WAITING = new AbortController()

const family = (address: string) => (address.includes(':') ? 6 : 4)
const answers =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map(address => ({ address, family: family(address) }))

/** What a URL ends as: the address to connect to, or the words of the refusal. */
const outcome = async (
  text: string,
  rules = STRICT,
  lookup: Lookup = answers('93.184.215.14'),
): Promise<string> => {
  try {
    return (await resolveAddress(checkUrl(text, rules), rules, WAITING, lookup)).address
  } catch (error) {
    if (error instanceof DomainError || error instanceof AddressError) return error.message
    throw error
  }
}

const outcomes = (rows: EndpointUrl[], rules = STRICT): Promise<EndpointUrl[]> =>
  Promise.all(rows.map(async ([url]): Promise<EndpointUrl> => [url, await outcome(url, rules)]))

describe('contract 4.3, url: every resolved address public, otherwise 422 saying which rule', () => {
  test('the corpus has at least 150 URLs', () => {
    expect(NOT_PUBLIC.length + PUBLIC.length + MALFORMED.length).toBeGreaterThanOrEqual(150)
  })

  test('no URL of a host that is not public is accepted, however it is spelled', async () => {
    expect(await outcomes(NOT_PUBLIC)).toEqual(
      NOT_PUBLIC.map(([url, address]) => [url, `address ${address} is not public`]),
    )
  })

  test('a URL of a public host is accepted, and its address connected to', async () => {
    expect(await outcomes(PUBLIC)).toEqual(PUBLIC)
  })

  test('a URL whose text breaks a rule is refused, naming the rule', async () => {
    for (const [url, rule] of MALFORMED) expect(await outcome(url)).toContain(rule)
  })

  test('a URL of exactly 2,048 characters is accepted', async () => {
    expect(LONGEST).toHaveLength(2048)
    expect(await outcome(LONGEST)).toBe('93.184.215.14')
  })

  test('a name with one address that is not public among public ones is refused', async () => {
    for (const [, address] of NOT_PUBLIC) {
      const lookup = answers('93.184.215.14', address, '2606:4700:4700::1111')
      expect(await outcome('https://hooks.example/', STRICT, lookup)).toBe(
        `address ${address} is not public`,
      )
    }
  })

  test('an address with a zone, as a resolver may answer, is refused', async () => {
    const lookup = answers('fe80::1%eth0')
    expect(await outcome('https://hooks.example/', STRICT, lookup)).toContain('is not public')
  })

  test('localhost is refused in every spelling, by what it resolves to', async () => {
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost'])
      expect(await outcome(`https://${host}/`, STRICT, answers('127.0.0.1', '::1'))).toBe(
        'address 127.0.0.1 is not public',
      )
  })

  test('a name without an address is refused in words', async () => {
    const fails: Lookup = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    expect(await outcome('https://hooks.example/', STRICT, fails)).toBe('the name does not resolve')
    expect(await outcome('https://hooks.example/', STRICT, answers())).toBe(
      'the name does not resolve',
    )
  })

  test('the real resolver is asked when none is given', async () => {
    const refused = resolveAddress(checkUrl('https://localhost/', STRICT), STRICT, WAITING)
    await expect(refused).rejects.toThrow(/address (127\.0\.0\.1|::1) is not public/)
  })

  test('a resolver that changes its answer is asked once, and its checked answer is connected to', async () => {
    const turns = [['93.184.215.14'], ['169.254.169.254'], ['93.184.215.15']]
    let asked = 0
    const rebinding: Lookup = name => answers(...(turns[asked++] ?? []))(name)
    const url = checkUrl('https://rebind.example/', STRICT)

    expect(await resolveAddress(url, STRICT, WAITING, rebinding)).toEqual<Address>({
      address: '93.184.215.14',
      family: 4,
    })
    expect(asked).toBe(1)
    await expect(resolveAddress(url, STRICT, WAITING, rebinding)).rejects.toThrow(
      new AddressError('address 169.254.169.254 is not public'),
    )
    expect((await resolveAddress(url, STRICT, WAITING, rebinding)).address).toBe('93.184.215.15')
  })

  test('the first address that the resolver gives is the one connected to', async () => {
    const lookup = answers('2606:4700:4700::1111', '1.1.1.1')
    expect(await outcome('https://hooks.example/', STRICT, lookup)).toBe('2606:4700:4700::1111')
  })

  test('a URL kept from a time when http was permitted is not connected to', async () => {
    await expect(resolveAddress(new URL('http://1.1.1.1/'), STRICT, WAITING)).rejects.toThrow(
      'only https is permitted',
    )
  })

  test('a refused address is a 422 on url that says what to do', async () => {
    await expect(checkWebhookUrl('https://10.0.0.1/', STRICT)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message:
        'url: address 10.0.0.1 is not public. Use a URL that is reachable from the public internet.',
      details: [{ path: 'url' }],
    })
    await checkWebhookUrl('https://1.1.1.1/', STRICT)
  })
})

describe('contract 4.3: ARDEN_ALLOW_PRIVATE_WEBHOOKS permits http and private addresses', () => {
  test('every address is permitted, over http and https', async () => {
    expect(await outcomes(NOT_PUBLIC, DEVELOPMENT)).toEqual(NOT_PUBLIC)
    const http = NOT_PUBLIC.map(
      ([url, address]): EndpointUrl => [url.replace(/^https/i, 'http'), address],
    )
    expect(await outcomes(http, DEVELOPMENT)).toEqual(http)
  })

  test('credentials, a fragment, a backslash and what is no URL are still refused', async () => {
    for (const [url, rule] of MALFORMED.filter(([, rule]) => rule !== 'must have https://'))
      expect(await outcome(url, DEVELOPMENT)).toContain(rule)
  })

  test('other schemes are still refused', async () => {
    expect(await outcome('ftp://10.0.0.1/', DEVELOPMENT)).toContain('https:// or http://')
  })
})
