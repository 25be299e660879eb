import pLimit from 'p-limit'
import { type AddressRules, resolveAddress } from '../../webhooks/transport/address'
import { createPost } from '../../webhooks/transport/post'
import { type CheckResult, ok, warning } from './result'

/** Links of an article that are checked, at a time, and redirects of each. */
const LINKS_MAX = 20
const CONCURRENCY = 4
const REDIRECTS_MAX = 3
/** Of one check, to whichever servers: with redirects and GETs it could send 160 to the same one. */
const REQUESTS_MAX = 60
/** For all links together, in ms. */
const TIMEOUT_MS = 10_000

const NO_HEAD = [403, 405, 501]
/** The page is there, and its server wants to know who reads it, or how often. */
const RESPONDS = [304, 401, 403, 429]

/** That of deliveries, because it must not cost other accounts anything, whatever the server sends. */
const send = createPost({ timeoutMs: TIMEOUT_MS })

/** Where the requests of a check may go, for which account, and until when. */
type LinkCheck = {
  accountId: string
  rules: AddressRules
  signal: AbortSignal
  requestsLeft: number
}

/**
 * Requests the first 20 links of an article, without reading what they return. Only public addresses are connected to,
 * as for webhooks (contract 4.3), and again for each redirect. Undefined without links.
 */
export const checkLinks = async (
  accountId: string,
  links: readonly string[],
  rules: AddressRules,
): Promise<CheckResult | undefined> => {
  const checked = links.slice(0, LINKS_MAX)
  if (checked.length === 0) return undefined
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const check = { accountId, rules, signal, requestsLeft: REQUESTS_MAX }
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

const findProblem = async (link: string, check: LinkCheck): Promise<string | undefined> => {
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
const requestPage = async (url: URL, check: LinkCheck): Promise<Page> => {
  const page = await request('HEAD', url, check)
  return page.status !== null && NO_HEAD.includes(page.status) ? request('GET', url, check) : page
}

const request = async (method: 'HEAD' | 'GET', url: URL, check: LinkCheck): Promise<Page> => {
  if (check.requestsLeft-- <= 0)
    return { status: null, error: `not checked, because the others took ${REQUESTS_MAX} requests` }
  const { accountId, rules, signal } = check
  // Pages of http are links, too; the rule of addresses is the same.
  const guarded = new URL(url.href)
  guarded.protocol = 'https:'
  try {
    const { httpStatus, location, error } = await send({
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
