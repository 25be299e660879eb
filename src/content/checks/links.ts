import pLimit from 'p-limit'
import { type AddressRules, resolveAddress } from '../../webhooks/transport/address'
import type { Post } from '../../webhooks/transport/post'
import { type CheckResult, ok, warning } from './result'

/** Links of an article that are checked, at a time, and redirects of each. */
const LINKS_MAX = 20
const CONCURRENCY = 4
const REDIRECTS_MAX = 3
/** Of one check, to whichever servers: with redirects and GETs it could send 160 to the same one. */
const REQUESTS_MAX = 60
/** For all links together, and for one request, in ms. */
export const LINKS_TIMEOUT_MS = 10_000

const NO_HEAD = [403, 405, 501]
/** The page is there, and its server wants to know who reads it, or how often. */
const RESPONDS = [304, 401, 403, 429]

type LinkCheckParts = {
  /** That of deliveries, because it must not cost other accounts anything, whatever the server sends. */
  post: Post
  rules: AddressRules
}

/** Where the requests of a check may go, for which account, and until when. */
type RunningCheck = LinkCheckParts & {
  accountId: string
  signal: AbortSignal
  requestsLeft: number
}

/** Returns undefined without links. */
export type CheckLinks = (
  accountId: string,
  links: readonly string[],
) => Promise<CheckResult | undefined>

/**
 * Requests the first 20 links of an article, without reading what they return. Only public addresses are connected to,
 * as for webhooks (contract 4.3), and again for each redirect.
 */
export const createLinkCheck =
  (parts: LinkCheckParts): CheckLinks =>
  async (accountId, links) => {
    const checked = links.slice(0, LINKS_MAX)
    if (checked.length === 0) return undefined
    const signal = AbortSignal.timeout(LINKS_TIMEOUT_MS)
    const check = { ...parts, accountId, signal, requestsLeft: REQUESTS_MAX }
    const inTurn = pLimit(CONCURRENCY)
    const problems = await Promise.all(checked.map(link => inTurn(() => findProblem(link, check))))
    const broken = checked.flatMap((link, n) =>
      problems[n] === undefined ? [] : `${link} (${problems[n]})`,
    )
    const left = links.length - checked.length
    const rest = left === 0 ? '' : ` ${left} more were not checked.`
    if (broken.length === 0)
      return ok(
        'links',
        `${checked.length === 1 ? 'The link responds' : `All ${checked.length} links respond`}.${rest}`,
      )
    return warning('links', `Not reachable: ${broken.join(', ')}. Correct or remove them.${rest}`)
  }

const findProblem = async (link: string, check: RunningCheck): Promise<string | undefined> => {
  let url = new URL(link)
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const { status, location, error } = await requestPage(url, check)
    if (status === null) return error
    if (status < 300 || RESPONDS.includes(status)) return undefined
    if (status >= 400) return `status ${status}`
    if (location === undefined || !URL.canParse(location, url.href)) return 'a redirect to nowhere'
    url = new URL(location, url.href)
    if (!/^https?:$/.test(url.protocol)) return 'a redirect to what is not a page'
  }
  return `more than ${REDIRECTS_MAX} redirects`
}

/** `error`: why there is no status. */
type Page = { status: number | null; location?: string | undefined; error: string }

/** HEAD, or GET where the server does not know it. */
const requestPage = async (url: URL, check: RunningCheck): Promise<Page> => {
  const page = await request('HEAD', url, check)
  return page.status !== null && NO_HEAD.includes(page.status) ? request('GET', url, check) : page
}

const request = async (method: 'HEAD' | 'GET', url: URL, check: RunningCheck): Promise<Page> => {
  if (check.requestsLeft-- <= 0)
    return { status: null, error: `not checked, because the others took ${REQUESTS_MAX} requests` }
  const { accountId, post, rules, signal } = check
  // Pages of http are links, too; the rule of addresses is the same.
  const guarded = new URL(url.href)
  guarded.protocol = 'https:'
  try {
    const { httpStatus, location, error } = await post({
      accountId,
      url,
      method,
      resolve: (deadline, lookup) => resolveAddress(guarded, rules, deadline, lookup),
      headers: { 'User-Agent': 'Arden link check', Accept: '*/*' },
      body: '',
      signal,
    })
    return { status: httpStatus, location, error: error ?? 'no response' }
  } catch {
    return {
      status: null,
      error: signal.aborted ? 'no response in time' : 'it could not be requested',
    }
  }
}
