import { describe, expect, test } from 'bun:test'
import { others } from '../../../../test/support/content/serp'
import { findInPages, findPosition } from './organic'

/** Contract 6.3: the position is found among organic results by domain. */

const find = (domain: string, domain_match: 'domain' | 'subdomains' | 'host', ...urls: string[]) =>
  findPosition(urls, { domain, domain_match })?.position

describe('domain', () => {
  test.each([
    ['acme.com', 'https://acme.com/'],
    ['acme.com', 'http://www.acme.com/a?b#c'],
    ['acme.com', 'https://shop.eu.acme.com/'],
    ['blog.acme.com', 'https://www.acme.com/'],
    ['acme.co.uk', 'https://news.acme.co.uk/'],
    ['acme.com', 'https://ACME.com:8443/'],
    ['xn--mnchen-3ya.de', 'https://www.münchen.de/'],
  ])('of %s includes %s', (domain, url) => {
    expect(find(domain, 'domain', url)).toBe(1)
  })

  test.each([
    ['acme.com', 'https://notacme.com/'],
    ['acme.com', 'https://acme.com.evil.example/'],
    ['acme.com', 'https://evil.example/acme.com'],
    // The public suffix list: these belong to others.
    ['acme.co.uk', 'https://rival.co.uk/'],
    ['acme.github.io', 'https://rival.github.io/'],
    ['acme.com', 'https://acme.org/'],
    ['acme.com', 'not a URL'],
  ])('of %s does not include %s', (domain, url) => {
    expect(find(domain, 'domain', url)).toBeUndefined()
  })
})

test('subdomains: the host and those below it, not its siblings', () => {
  expect(
    find('blog.acme.com', 'subdomains', 'https://acme.com/', 'https://de.blog.acme.com/'),
  ).toBe(2)
  expect(
    find('blog.acme.com', 'subdomains', 'https://shop.acme.com/', 'https://blog.acme.com/'),
  ).toBe(2)
  expect(find('acme.com', 'subdomains', 'https://notacme.com/')).toBeUndefined()
  expect(find('www.acme.com', 'subdomains', 'https://acme.com/')).toBe(1)
})

test('host: that host alone, with and without www', () => {
  expect(find('acme.com', 'host', 'https://shop.acme.com/', 'https://www.acme.com/')).toBe(2)
  expect(find('www.acme.com', 'host', 'https://acme.com/')).toBe(1)
  expect(find('blog.acme.com', 'host', 'https://acme.com/')).toBeUndefined()
})

test('an organic result without a URL takes a position', () => {
  const urls = [null, 'https://acme.com/']
  expect(findPosition(urls, { domain: 'acme.com', domain_match: 'domain' })).toEqual({
    position: 2,
    url: 'https://acme.com/',
  })
})

describe('pages', () => {
  const query = { domain: 'acme.com', domain_match: 'domain' } as const
  const read = async (pages: string[][], depth = 100) => {
    const seen: number[] = []
    const ranking = await findInPages(query, depth, async (page, before) => {
      seen.push(before)
      return { urls: pages[page] ?? [], hasNext: page + 1 < pages.length }
    })
    return { ...ranking, seen }
  }

  test('positions go on from page to page, whatever their sizes, and the search ends with the domain', async () => {
    const pages = [others(9), [...others(4), 'https://acme.com/a'], others(10)]
    expect(await read(pages)).toEqual({ position: 14, url: 'https://acme.com/a', seen: [0, 9] })
  })

  test('it ends with the last page, an empty page, and after the depth', async () => {
    expect((await read([others(10), others(3)])).seen).toEqual([0, 10])
    expect((await read([others(10), [], others(10)])).seen).toEqual([0, 10])
    expect(
      await read(
        Array.from({ length: 12 }, () => others(10)),
        30,
      ),
    ).toEqual({
      position: null,
      url: null,
      seen: [0, 10, 20],
    })
  })

  test('a result beyond the depth is not found', async () => {
    const pages = [[...others(10), ...others(4), 'https://acme.com/a']]
    expect((await read(pages, 10)).position).toBeNull()
  })
})
