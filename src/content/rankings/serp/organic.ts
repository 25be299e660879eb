import { getDomain } from 'tldts'
import type { FoundRanking, SerpQuery } from './provider'

/** The organic results of one page, in their order; null for one without a URL. */
export type SerpPage = { urls: (string | null)[]; hasNext: boolean }

/** Organic results of one page of Google. */
export const PAGE_SIZE = 10

/**
 * The position of the domain among the first `depth` organic results (contract 6.3). Reads page after page, because each
 * costs one search, until the domain is found.
 * @param readPage reads a page; `page` counts from 0, `seen` are the results of the pages before it.
 */
export const findInPages = async (
  query: Pick<SerpQuery, 'domain' | 'domain_match'>,
  depth: number,
  readPage: (page: number, seen: number) => Promise<SerpPage>,
): Promise<FoundRanking> => {
  let seen = 0
  for (let page = 0; page * PAGE_SIZE < depth; page++) {
    const { urls, hasNext } = await readPage(page, seen)
    const found = findPosition(urls.slice(0, depth - seen), query)
    if (found !== undefined) return { position: seen + found.position, url: found.url }
    seen += urls.length
    if (!hasNext || urls.length === 0 || seen >= depth) break
  }
  return { position: null, url: null }
}

/** The first of `urls` that belongs to the domain, and its position, which counts from 1. */
export const findPosition = (
  urls: readonly (string | null)[],
  { domain, domain_match }: Pick<SerpQuery, 'domain' | 'domain_match'>,
): { position: number; url: string } | undefined => {
  const isOfDomain = MATCHES[domain_match](domain)
  for (const [index, url] of urls.entries())
    if (url !== null && URL.canParse(url) && isOfDomain(new URL(url).hostname))
      return { position: index + 1, url }
  return undefined
}

/** The registrable domain by the public suffix list, such as `acme.co.uk`; of `acme.github.io`, that host itself. */
export const registrableDomain = (host: string): string =>
  getDomain(host, { allowPrivateDomains: true }) ?? host

export const withoutWww = (host: string) => host.replace(/^www\./, '')

const MATCHES: Record<SerpQuery['domain_match'], (domain: string) => (host: string) => boolean> = {
  domain: domain => {
    const registrable = registrableDomain(domain)
    return host => registrableDomain(host) === registrable
  },
  subdomains: domain => {
    const base = withoutWww(domain)
    return host => host === base || host.endsWith(`.${base}`)
  },
  host: domain => host => withoutWww(host) === withoutWww(domain),
}
