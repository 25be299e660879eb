import { t } from 'elysia'
import { iso31661Alpha2ToNumeric } from 'iso-3166'
import { likelyLocale } from '../../../locale'
import { findPosition, registrableDomain, withoutWww } from './organic'
import {
  type SerpAdapter,
  type SerpFailureReason,
  SerpProviderError,
  type SerpQuery,
  type SerpResponse,
} from './provider'
import { checkStatus, createReader } from './response'

/**
 * DataForSEO: https://docs.dataforseo.com/v3/serp/google/organic/live/advanced, /v3/appendix/errors and
 * /v3/appendix/user_data. One request reads all pages up to the one with the domain, and says what it cost. Nearly every
 * failure is a 200 with a `status_code`, of the request or of its task.
 */
export const createDataForSeoAdapter = ({
  url,
  apiKey,
  depth,
}: {
  url: URL
  /** `login:password`. */
  apiKey: string
  depth: number
}): SerpAdapter => {
  const headers = {
    Authorization: `Basic ${Buffer.from(apiKey).toString('base64')}`,
    'Content-Type': 'application/json',
  }
  const searchUrl = new URL('/v3/serp/google/organic/live/advanced', url)
  return {
    name: 'DataForSEO',
    url,
    search: (query, send, charge) => {
      const init = { method: 'POST', headers, body: JSON.stringify([toTask(query, depth)]) }
      return send({ url: searchUrl, init }, response => {
        checkStatus(response)
        const body = readBody(response.text)
        if (body.cost > 0) charge(body.cost)
        const found = findPosition(readOrganic(body).slice(0, depth), query)
        return { position: found?.position ?? null, url: found?.url ?? null }
      })
    },
    account: {
      request: { url: new URL('/v3/appendix/user_data', url), init: { headers } },
      read: readBalance,
    },
  }
}

/** Ids of countries in Google's list of locations: 2000 and the number of ISO 3166-1. */
const LOCATION_BASE = 2000

const toTask = (
  { keyword, country, language, device, domain, domain_match }: SerpQuery,
  depth: number,
) => ({
  // The provider decodes `%xx` and `+`.
  keyword: keyword.replaceAll('%', '%25').replaceAll('+', '%2B'),
  location_code: LOCATION_BASE + Number(iso31661Alpha2ToNumeric[country]),
  language_code: toLanguageCode(language),
  device,
  depth,
  stop_crawl_on_match: toTargets(domain, domain_match),
  find_targets_in: ['organic'],
})

/** The crawl stops after the page with one of these. It may stop too late, but not before a result of the domain. */
const toTargets = (domain: string, how: SerpQuery['domain_match']) => {
  if (how === 'domain')
    return [{ match_value: registrableDomain(domain), match_type: 'with_subdomains' }]
  const base = withoutWww(domain)
  if (how === 'subdomains') return [{ match_value: base, match_type: 'with_subdomains' }]
  return [base, `www.${base}`].map(match_value => ({ match_value, match_type: 'domain' }))
}

/** Google's codes: languages without a region, but for Chinese. */
const toLanguageCode = (language: string): string => {
  const { language: code = 'en', script } = likelyLocale(language)
  if (code !== 'zh') return code
  return script === 'Hant' ? 'zh-TW' : 'zh-CN'
}

const Status = { status_code: t.Integer(), status_message: t.Optional(t.String()) }
const readBody = createReader(
  t.Object({
    ...Status,
    cost: t.Number(),
    tasks: t.Optional(
      t.Array(
        t.Object({
          ...Status,
          result: t.Optional(
            t.Union([
              t.Null(),
              t.Array(
                t.Object({
                  items: t.Optional(
                    t.Union([
                      t.Null(),
                      t.Array(
                        t.Object({
                          type: t.String(),
                          url: t.Optional(t.Union([t.Null(), t.String()])),
                        }),
                      ),
                    ]),
                  ),
                }),
              ),
            ]),
          ),
        }),
      ),
    ),
  }),
)
type Body = ReturnType<typeof readBody>

const OK = 20_000
const NO_SEARCH_RESULTS = 40_102

const readOrganic = (body: Body): (string | null)[] => {
  checkCode(body)
  const [task] = body.tasks ?? []
  if (task === undefined) throw new SerpProviderError('unusable', 'responded without a task', {})
  if (task.status_code === NO_SEARCH_RESULTS) return []
  checkCode(task)
  return (task.result ?? [])
    .flatMap(({ items }) => items ?? [])
    .filter(({ type }) => type === 'organic')
    .map(({ url }) => url ?? null)
}

/** Codes of the documentation that do not mean "unusable". */
const REASONS: { [code: number]: SerpFailureReason } = {
  // Not authorized; not verified; blocked; no access; address not permitted.
  40100: 'refused',
  40104: 'refused',
  40201: 'refused',
  40204: 'refused',
  40207: 'refused',
  // Payment required; daily cost limit; insufficient funds.
  40200: 'out of credit',
  40203: 'out of credit',
  40210: 'out of credit',
  // Requests a minute; simultaneous requests.
  40202: 'rate limited',
  40209: 'rate limited',
  // The search engine failed; the task failed.
  40101: 'unavailable',
  40103: 'unavailable',
}

const checkCode = ({
  status_code: code,
  status_message,
}: {
  status_code: number
  status_message?: string
}) => {
  if (code === OK) return
  const reason = REASONS[code] ?? (code >= 50_000 ? 'unavailable' : 'unusable')
  throw new SerpProviderError(reason, `responded with status_code ${code}`, {
    providerText: status_message,
  })
}

const readUser = createReader(
  t.Object({
    ...Status,
    tasks: t.Optional(
      t.Array(
        t.Object({
          ...Status,
          result: t.Optional(
            t.Union([t.Null(), t.Array(t.Object({ money: t.Object({ balance: t.Number() }) }))]),
          ),
        }),
      ),
    ),
  }),
)

const readBalance = (response: SerpResponse) => {
  checkStatus(response)
  const body = readUser(response.text)
  checkCode(body)
  const [task] = body.tasks ?? []
  if (task !== undefined) checkCode(task)
  const [user] = task?.result ?? []
  if (user === undefined) throw new SerpProviderError('unusable', 'responded without an account')
  return { left: user.money.balance, unit: 'US dollars' as const }
}
