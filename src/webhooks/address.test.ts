import { describe, expect, test } from 'bun:test'
import { DomainError } from '../errors'
import { AddressRefused, checkEndpoint, checkUrl, resolveAddress } from './address'
import type { Address, Lookup } from './lookup'

const STRICT = { allowPrivate: false }
const DEVELOPMENT = { allowPrivate: true }
const WAITING = new AbortController().signal

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
    if (error instanceof DomainError || error instanceof AddressRefused) return error.message
    throw error
  }
}

type Row = [url: string, expected: string]

const outcomes = (rows: Row[], rules = STRICT): Promise<Row[]> =>
  Promise.all(rows.map(async ([url]): Promise<Row> => [url, await outcome(url, rules)]))

/** URLs whose host is an address in any of the forms that parsers take, and that address. */
const NOT_PUBLIC: Row[] = [
  // Loopback and its spellings: decimal, hexadecimal, octal, short, with a dot, in other digits.
  ['https://127.0.0.1/', '127.0.0.1'],
  ['https://127.0.0.1:8443/hooks', '127.0.0.1'],
  ['https://127.0.0.1./', '127.0.0.1'],
  ['https://127.1/', '127.0.0.1'],
  ['https://127.0.1/', '127.0.0.1'],
  ['https://127.255.255.254/', '127.255.255.254'],
  ['https://2130706433/', '127.0.0.1'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://0x7f.1/', '127.0.0.1'],
  ['https://0x7f.0x0.0x0.0x1/', '127.0.0.1'],
  ['https://0177.0.0.1/', '127.0.0.1'],
  ['https://0177.0x0.0.1/', '127.0.0.1'],
  ['https://017700000001/', '127.0.0.1'],
  ['https://00000177.0.0.1/', '127.0.0.1'],
  ['https://１２７.０.０.１/', '127.0.0.1'],
  ['https://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['https://127。0。0。1/', '127.0.0.1'],
  ['https://127．0．0．1/', '127.0.0.1'],
  ['https://%31%32%37.0.0.1/', '127.0.0.1'],
  ['https:127.0.0.1/', '127.0.0.1'],
  ['https:///127.0.0.1/', '127.0.0.1'],
  ['https:////127.0.0.1/', '127.0.0.1'],
  ['HTTPS://127.0.0.1/', '127.0.0.1'],
  // "This network".
  ['https://0.0.0.0/', '0.0.0.0'],
  ['https://0/', '0.0.0.0'],
  ['https://0x0/', '0.0.0.0'],
  ['https://0.1.2.3/', '0.1.2.3'],
  ['https://0.255.255.255/', '0.255.255.255'],
  // Private networks.
  ['https://10.0.0.1/', '10.0.0.1'],
  ['https://10.255.255.255/', '10.255.255.255'],
  ['https://10.1/', '10.0.0.1'],
  ['https://012.0.0.1/', '10.0.0.1'],
  ['https://167772161/', '10.0.0.1'],
  ['https://0xa.1/', '10.0.0.1'],
  ['https://172.16.0.1/', '172.16.0.1'],
  ['https://172.31.255.255/', '172.31.255.255'],
  ['https://0xac100001/', '172.16.0.1'],
  ['https://192.168.0.1/', '192.168.0.1'],
  ['https://192.168.255.255/', '192.168.255.255'],
  ['https://192.168.257/', '192.168.1.1'],
  ['https://3232235521/', '192.168.0.1'],
  // Link-local, and the metadata services of the clouds.
  ['https://169.254.0.1/', '169.254.0.1'],
  ['https://169.254.169.254/latest/meta-data/', '169.254.169.254'],
  ['https://2852039166/latest/meta-data/', '169.254.169.254'],
  ['https://0xa9fea9fe/', '169.254.169.254'],
  ['https://0251.0376.0251.0376/', '169.254.169.254'],
  ['https://169.254.43518/', '169.254.169.254'],
  ['https://169.254.170.2/v2/credentials', '169.254.170.2'],
  ['https://169.254.255.255/', '169.254.255.255'],
  ['https://168.63.129.16/machine', '168.63.129.16'],
  ['https://100.100.100.200/latest/meta-data/', '100.100.100.200'],
  ['https://192.0.0.192/latest/', '192.0.0.192'],
  // Carrier-grade NAT.
  ['https://100.64.0.1/', '100.64.0.1'],
  ['https://100.127.255.255/', '100.127.255.255'],
  // Protocol assignments, documentation, 6to4 relays, AS112, AMT, benchmarking.
  ['https://192.0.0.1/', '192.0.0.1'],
  ['https://192.0.0.170/', '192.0.0.170'],
  ['https://192.0.2.1/', '192.0.2.1'],
  ['https://198.51.100.1/', '198.51.100.1'],
  ['https://203.0.113.1/', '203.0.113.1'],
  ['https://192.88.99.1/', '192.88.99.1'],
  ['https://192.31.196.1/', '192.31.196.1'],
  ['https://192.52.193.1/', '192.52.193.1'],
  ['https://192.175.48.1/', '192.175.48.1'],
  ['https://198.18.0.1/', '198.18.0.1'],
  ['https://198.19.255.255/', '198.19.255.255'],
  // Multicast, reserved, broadcast.
  ['https://224.0.0.1/', '224.0.0.1'],
  ['https://239.255.255.255/', '239.255.255.255'],
  ['https://240.0.0.1/', '240.0.0.1'],
  ['https://255.255.255.254/', '255.255.255.254'],
  ['https://255.255.255.255/', '255.255.255.255'],
  ['https://4294967295/', '255.255.255.255'],
  // IPv6: unspecified, loopback, and IPv4 inside: compatible, mapped, translated.
  ['https://[::]/', '::'],
  ['https://[::1]/', '::1'],
  ['https://[0:0:0:0:0:0:0:1]/', '::1'],
  ['https://[0000:0000:0000:0000:0000:0000:0000:0001]:8443/', '::1'],
  ['https://[::2]/', '::2'],
  ['https://[::127.0.0.1]/', '::7f00:1'],
  ['https://[::10.0.0.1]/', '::a00:1'],
  ['https://[::8.8.8.8]/', '::808:808'],
  ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
  ['https://[::ffff:a00:1]/', '::ffff:a00:1'],
  ['https://[0:0:0:0:0:ffff:10.0.0.1]/', '::ffff:a00:1'],
  ['https://[::FFFF:169.254.169.254]/', '::ffff:a9fe:a9fe'],
  ['https://[::ffff:8.8.8.8]/', '::ffff:808:808'],
  ['https://[::ffff:0:10.0.0.1]/', '::ffff:0:a00:1'],
  ['https://[::ffff:0:8.8.8.8]/', '::ffff:0:808:808'],
  // NAT64: the well-known prefix and the one for local use.
  ['https://[64:ff9b::10.0.0.1]/', '64:ff9b::a00:1'],
  ['https://[64:ff9b::8.8.8.8]/', '64:ff9b::808:808'],
  ['https://[64:ff9b::7f00:1]/', '64:ff9b::7f00:1'],
  ['https://[64:ff9b:1::10.0.0.1]/', '64:ff9b:1::a00:1'],
  ['https://[64:ff9b:1:ffff::1]/', '64:ff9b:1:ffff::1'],
  // Discard, and what else lies below 2000::/3.
  ['https://[100::1]/', '100::1'],
  ['https://[100:0:0:1::1]/', '100:0:0:1::1'],
  ['https://[200::1]/', '200::1'],
  ['https://[400::1]/', '400::1'],
  ['https://[1fff:ffff::1]/', '1fff:ffff::1'],
  // Protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone tags.
  ['https://[2001::1]/', '2001::1'],
  ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['https://[2001:1::1]/', '2001:1::1'],
  ['https://[2001:2::1]/', '2001:2::1'],
  ['https://[2001:3::1]/', '2001:3::1'],
  ['https://[2001:4:112::1]/', '2001:4:112::1'],
  ['https://[2001:10::1]/', '2001:10::1'],
  ['https://[2001:1f:ffff::1]/', '2001:1f:ffff::1'],
  ['https://[2001:20::1]/', '2001:20::1'],
  ['https://[2001:30::1]/', '2001:30::1'],
  ['https://[2001:1ff:ffff::1]/', '2001:1ff:ffff::1'],
  ['https://[2620:4f:8000::1]/', '2620:4f:8000::1'],
  // Documentation.
  ['https://[2001:db8::1]/', '2001:db8::1'],
  ['https://[2001:DB8:ffff::1]/', '2001:db8:ffff::1'],
  ['https://[3fff::1]/', '3fff::1'],
  ['https://[3fff:fff:ffff::1]/', '3fff:fff:ffff::1'],
  // 6to4, around a private and around a public address.
  ['https://[2002:a00:1::1]/', '2002:a00:1::1'],
  ['https://[2002:7f00:1::1]/', '2002:7f00:1::1'],
  ['https://[2002:808:808::1]/', '2002:808:808::1'],
  // Above 2000::/3: unallocated, segment routing, unique-local, link-local, site-local, multicast.
  ['https://[4000::1]/', '4000::1'],
  ['https://[5f00::1]/', '5f00::1'],
  ['https://[8000::1]/', '8000::1'],
  ['https://[e000::1]/', 'e000::1'],
  ['https://[fc00::1]/', 'fc00::1'],
  ['https://[fd00::1]/', 'fd00::1'],
  ['https://[fd00:ec2::254]/latest/meta-data/', 'fd00:ec2::254'],
  ['https://[fd20:ce::254]/', 'fd20:ce::254'],
  ['https://[fdff:ffff:ffff:ffff::1]/', 'fdff:ffff:ffff:ffff::1'],
  ['https://[fe80::1]/', 'fe80::1'],
  ['https://[febf::1]/', 'febf::1'],
  ['https://[fec0::1]/', 'fec0::1'],
  ['https://[feff::1]/', 'feff::1'],
  ['https://[ff00::1]/', 'ff00::1'],
  ['https://[ff02::1]/', 'ff02::1'],
  ['https://[ff0e::1]/', 'ff0e::1'],
]

/** URLs that lead to a public host, and the address that is connected to. */
const PUBLIC: Row[] = [
  ['https://example.com/hooks', '93.184.215.14'],
  ['https://example.com:8443/hooks?token=a%20b', '93.184.215.14'],
  ['https://EXAMPLE.com./', '93.184.215.14'],
  ['https://bücher.example/', '93.184.215.14'],
  ['https://xn--bcher-kva.example/', '93.184.215.14'],
  ['https://a_b.example.com/', '93.184.215.14'],
  ['https://10.0.0.1.example.com/', '93.184.215.14'],
  ['https://localhost.example.com/', '93.184.215.14'],
  ['https://example.com:22/', '93.184.215.14'],
  ['https://example.com/@10.0.0.1', '93.184.215.14'],
  ['https://1.1.1.1/', '1.1.1.1'],
  ['https://8.8.8.8:444/', '8.8.8.8'],
  ['https://134744072/', '8.8.8.8'],
  ['https://9.255.255.255/', '9.255.255.255'],
  ['https://11.0.0.1/', '11.0.0.1'],
  ['https://100.63.255.255/', '100.63.255.255'],
  ['https://100.128.0.1/', '100.128.0.1'],
  ['https://126.255.255.255/', '126.255.255.255'],
  ['https://128.0.0.1/', '128.0.0.1'],
  ['https://168.63.129.17/', '168.63.129.17'],
  ['https://169.253.255.255/', '169.253.255.255'],
  ['https://172.15.255.255/', '172.15.255.255'],
  ['https://172.32.0.1/', '172.32.0.1'],
  ['https://192.167.255.255/', '192.167.255.255'],
  ['https://192.169.0.1/', '192.169.0.1'],
  ['https://198.17.255.255/', '198.17.255.255'],
  ['https://198.20.0.1/', '198.20.0.1'],
  ['https://223.255.255.254/', '223.255.255.254'],
  ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
  ['https://[2001:4860:4860::8888]:8443/', '2001:4860:4860::8888'],
  ['https://[2001:200::1]/', '2001:200::1'],
  ['https://[2a00:1450:4001::1]/', '2a00:1450:4001::1'],
  ['https://[2003::1]/', '2003::1'],
]

const LONG = `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`

/** URLs that are refused for their text, and a word of the rule they break. */
const MALFORMED: Row[] = [
  ['http://example.com/', 'must have https://'],
  ['http://10.0.0.1/', 'must have https://'],
  ['ftp://example.com/', 'must have https://'],
  ['ws://example.com/', 'must have https://'],
  ['wss://example.com/', 'must have https://'],
  ['file:///etc/passwd', 'must have https://'],
  ['gopher://127.0.0.1:70/', 'must have https://'],
  ['data:text/plain,x', 'must have https://'],
  ['javascript:alert(1)', 'must have https://'],
  ['blob:https://example.com/x', 'must have https://'],
  ['unix:/var/run/docker.sock', 'must have https://'],
  ['httpss://example.com/', 'must have https://'],
  ['https://user@example.com/', 'credentials'],
  ['https://user:password@example.com/', 'credentials'],
  ['https://:password@example.com/', 'credentials'],
  ['https://example.com@10.0.0.1/', 'credentials'],
  ['https://example.com:443@10.0.0.1/', 'credentials'],
  ['https://10.0.0.1%2f@example.com/', 'credentials'],
  ['https://example.com/#', 'fragment'],
  ['https://example.com/#section', 'fragment'],
  ['https://example.com#@10.0.0.1/', 'fragment'],
  ['https://example.com/?a=b#c', 'fragment'],
  [`${LONG}a`, 'has 2049 characters'],
  ['', 'is not a URL'],
  ['example.com', 'is not a URL'],
  ['//example.com/', 'is not a URL'],
  ['/hooks', 'is not a URL'],
  ['https://', 'is not a URL'],
  ['https://:443/', 'is not a URL'],
  ['https://example.com:65536/', 'is not a URL'],
  ['https://example.com:https/', 'is not a URL'],
  ['https://256.0.0.1/', 'is not a URL'],
  ['https://1.2.3.4.5/', 'is not a URL'],
  ['https://0x100000000/', 'is not a URL'],
  ['https://09.0.0.1/', 'is not a URL'],
  ['https://[::1/', 'is not a URL'],
  ['https://[::1%25lo]/', 'is not a URL'],
  ['https://[fe80::1%eth0]/', 'is not a URL'],
  ['https://[127.0.0.1]/', 'is not a URL'],
  ['https://exa<mple.com/', 'is not a URL'],
  ['https://example.com%00.evil.example/', 'is not a URL'],
  ['https://exam ple.com/', 'a space'],
  [' https://example.com/', 'a space'],
  ['https://example.com/ ', 'a space'],
  ['https://example.com/a b', 'a space'],
  ['https://exam\tple.com/', 'a space'],
  ['https://example.com/\r\nX-Injected: 1', 'a space'],
  ['https://example.com/\n', 'a space'],
  ['https://example.com/\u0000', 'a space'],
  ['https://example.com/\u0085', 'a space'],
  ['https://example.com/\u00a0', 'a space'],
  ['https:\\\\10.0.0.1\\', 'a backslash'],
  ['https://example.com\\@10.0.0.1/', 'a backslash'],
]

describe('contract 4, url: every resolved address public, otherwise 422 saying which rule', () => {
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
    expect(LONG).toHaveLength(2048)
    expect(await outcome(LONG)).toBe('93.184.215.14')
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
      new AddressRefused('address 169.254.169.254 is not public'),
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
    await expect(checkEndpoint('https://10.0.0.1/', STRICT)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message:
        'url: address 10.0.0.1 is not public. Use a URL that is reachable from the public internet.',
      details: [{ path: 'url' }],
    })
    await checkEndpoint('https://1.1.1.1/', STRICT)
  })
})

describe('contract 4: ARDEN_ALLOW_PRIVATE_WEBHOOKS permits http and private addresses', () => {
  test('every address is permitted, over http and https', async () => {
    expect(await outcomes(NOT_PUBLIC, DEVELOPMENT)).toEqual(NOT_PUBLIC)
    const http = NOT_PUBLIC.map(([url, address]): Row => [url.replace(/^https/i, 'http'), address])
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
