import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import pLimit from 'p-limit'
import { AddressError, type AddressRules, resolveAddress } from '../../webhooks/transport/address'
import type { Address } from '../../webhooks/transport/dns'
import { type CheckResult, ok, warning } from './result'

/** Links of an article that are checked, at a time, and redirects of each. */
const LINKS_MAX = 20
const CONCURRENCY = 4
const REDIRECTS_MAX = 3
/** For all links together, in ms. */
const TIMEOUT_MS = 10_000

const NO_HEAD = new Set([403, 405, 501])

/**
 * Requests the first 20 links of an article, without reading what they return. Only public addresses are connected to,
 * as for webhooks (contract 4.3), and again for each redirect. Undefined without links.
 */
export const checkLinks = async (
  links: readonly string[],
  rules: AddressRules,
): Promise<CheckResult | undefined> => {
  const checked = links.slice(0, LINKS_MAX)
  if (checked.length === 0) return undefined
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const inTurn = pLimit(CONCURRENCY)
  const problems = await Promise.all(
    checked.map(link => inTurn(() => findProblem(link, rules, signal))),
  )
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

const findProblem = async (
  link: string,
  rules: AddressRules,
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    let url: URL = new URL(link)
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const response = await ask(url, rules, signal)
      if (response.status < 300 || response.status === 304) return undefined
      // It is there, and wants to know who reads it.
      if (response.status === 401 || response.status === 403 || response.status === 429)
        return undefined
      if (response.status >= 400) return `status ${response.status}`
      if (response.location === undefined || !URL.canParse(response.location, url.href))
        return 'a redirect to nowhere'
      url = new URL(response.location, url.href)
      if (!/^https?:$/.test(url.protocol)) return `a redirect to ${url.protocol}`
    }
    return `more than ${REDIRECTS_MAX} redirects`
  } catch (error) {
    if (error instanceof AddressError) return error.message
    return signal.aborted ? 'no response in time' : 'no connection'
  }
}

type Response = { status: number; location: string | undefined }

/** HEAD, or GET where the server does not know it. The connection is closed when the head has arrived. */
const ask = async (url: URL, rules: AddressRules, signal: AbortSignal): Promise<Response> => {
  // Pages of http are links, too; the rule of addresses is the same.
  const guarded = new URL(url.href)
  if (url.protocol === 'http:') guarded.protocol = 'https:'
  const address = await resolveAddress(guarded, rules, { signal })
  const response = await send('HEAD', url, address, signal)
  return NO_HEAD.has(response.status) ? send('GET', url, address, signal) : response
}

const send = (
  method: 'HEAD' | 'GET',
  url: URL,
  { address, family }: Address,
  signal: AbortSignal,
) =>
  new Promise<Response>((resolve, reject) => {
    const request = (url.protocol === 'http:' ? requestHttp : requestHttps)(
      url,
      {
        method,
        agent: false,
        signal,
        headers: { 'user-agent': 'Arden link check', accept: '*/*' },
        // The checked address: the name is not resolved again.
        lookup: (_, options, done) =>
          options.all ? done(null, [{ address, family }]) : done(null, address, family),
      },
      ({ statusCode = 0, headers }) => {
        resolve({ status: statusCode, location: headers.location })
        request.destroy()
      },
    )
    request.on('error', reject)
    request.end()
  })
